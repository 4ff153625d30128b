//! Prints the labels and indexes of the Encoding Standard, as src/cordon/js/encodings.h describes the file. An index is
//! what `encoding_rs` decodes each of its pointers to.

use encoding_rs::*;
use std::io::Write;

/// What decodes an encoding; enum in guest/web/decoders.c.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Kind {
    Utf8,
    Utf16Le,
    Utf16Be,
    SingleByte,
    Gb18030,
    Big5,
    EucJp,
    Iso2022Jp,
    ShiftJis,
    EucKr,
    UserDefined,
    Replacement,
}

const NO_TABLE: u8 = 255;

/// The labels of the standard, a line for each encoding.
const LABELS: &[(&str, Kind)] = &[
    ("utf-8 utf8 unicode20utf8 unicode11utf8 x-unicode20utf8 unicode-1-1-utf-8", Kind::Utf8),
    ("ucs-2 utf-16 unicode utf-16le csunicode unicodefeff iso-10646-ucs-2", Kind::Utf16Le),
    ("utf-16be unicodefffe", Kind::Utf16Be),
    ("866 cp866 ibm866 csibm866", Kind::SingleByte),
    ("l6 latin6 iso885910 iso8859-10 iso-ir-157 iso-8859-10 csisolatin6", Kind::SingleByte),
    ("iso885913 iso8859-13 iso-8859-13", Kind::SingleByte),
    ("iso885914 iso8859-14 iso-8859-14", Kind::SingleByte),
    ("l9 iso885915 iso8859-15 iso-8859-15 iso_8859-15 csisolatin9", Kind::SingleByte),
    ("iso-8859-16", Kind::SingleByte),
    ("l2 latin2 iso88592 iso8859-2 iso-ir-101 iso-8859-2 iso_8859-2 csisolatin2 iso_8859-2:1987", Kind::SingleByte),
    ("l3 latin3 iso88593 iso8859-3 iso-8859-3 iso_8859-3 iso-ir-109 csisolatin3 iso_8859-3:1988", Kind::SingleByte),
    ("l4 latin4 iso88594 iso8859-4 iso-ir-110 iso-8859-4 iso_8859-4 csisolatin4 iso_8859-4:1988", Kind::SingleByte),
    ("iso88595 cyrillic iso8859-5 iso-ir-144 iso-8859-5 iso_8859-5 iso_8859-5:1988 csisolatincyrillic", Kind::SingleByte),
    (
        "arabic ecma-114 iso88596 asmo-708 iso8859-6 iso-8859-6 iso_8859-6 iso-ir-127 csiso88596e csiso88596i \
         iso-8859-6-e iso-8859-6-i iso_8859-6:1987 csisolatinarabic",
        Kind::SingleByte,
    ),
    (
        "greek greek8 iso88597 ecma-118 elot_928 iso8859-7 iso-ir-126 iso-8859-7 iso_8859-7 sun_eu_greek \
         iso_8859-7:1987 csisolatingreek",
        Kind::SingleByte,
    ),
    (
        "visual hebrew iso88598 iso8859-8 iso-8859-8 iso_8859-8 iso-ir-138 csiso88598e iso-8859-8-e iso_8859-8:1988 \
         csisolatinhebrew",
        Kind::SingleByte,
    ),
    ("logical csiso88598i iso-8859-8-i", Kind::SingleByte),
    ("koi koi8 koi8-r koi8_r cskoi8r", Kind::SingleByte),
    ("koi8-u koi8-ru", Kind::SingleByte),
    ("mac macintosh csmacintosh x-mac-roman", Kind::SingleByte),
    ("cp1250 x-cp1250 windows-1250", Kind::SingleByte),
    ("cp1251 x-cp1251 windows-1251", Kind::SingleByte),
    (
        "l1 cp819 ascii latin1 cp1252 ibm819 iso88591 x-cp1252 us-ascii iso8859-1 iso-ir-100 iso-8859-1 iso_8859-1 \
         csisolatin1 windows-1252 ansi_x3.4-1968 iso_8859-1:1987",
        Kind::SingleByte,
    ),
    ("cp1253 x-cp1253 windows-1253", Kind::SingleByte),
    (
        "l5 cp1254 latin5 x-cp1254 iso88599 iso8859-9 iso-ir-148 iso-8859-9 iso_8859-9 csisolatin5 windows-1254 \
         iso_8859-9:1989",
        Kind::SingleByte,
    ),
    ("cp1255 x-cp1255 windows-1255", Kind::SingleByte),
    ("cp1256 x-cp1256 windows-1256", Kind::SingleByte),
    ("cp1257 x-cp1257 windows-1257", Kind::SingleByte),
    ("cp1258 x-cp1258 windows-1258", Kind::SingleByte),
    ("tis-620 dos-874 iso885911 iso8859-11 iso-8859-11 windows-874", Kind::SingleByte),
    ("x-mac-cyrillic x-mac-ukrainian", Kind::SingleByte),
    ("gbk x-gbk gb2312 gb_2312 chinese csgb2312 iso-ir-58 gb_2312-80 csiso58gb231280", Kind::Gb18030),
    ("gb18030", Kind::Gb18030),
    ("big5 csbig5 cn-big5 x-x-big5 big5-hkscs", Kind::Big5),
    ("euc-jp x-euc-jp cseucpkdfmtjapanese", Kind::EucJp),
    ("iso-2022-jp csiso2022jp", Kind::Iso2022Jp),
    ("sjis ms932 x-sjis ms_kanji shift-jis shift_jis csshiftjis windows-31j", Kind::ShiftJis),
    (
        "korean euc-kr ksc5601 cseuckr ksc_5601 iso-ir-149 windows-949 csksc56011987 ks_c_5601-1987 ks_c_5601-1989",
        Kind::EucKr,
    ),
    ("x-user-defined", Kind::UserDefined),
    ("hz-gb-2312 iso-2022-cn iso-2022-kr csiso2022kr replacement iso-2022-cn-ext", Kind::Replacement),
];

/// The one character that the bytes are; nothing where they are an error, or more than one.
fn character(encoding: &'static Encoding, bytes: &[u8]) -> Option<char> {
    let mut units = [0u16; 16];
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (_, _, written, had_errors) = decoder.decode_to_utf16(bytes, &mut units, true);
    let mut characters = char::decode_utf16(units[..written].iter().copied());
    match (had_errors, characters.next(), characters.next()) {
        (false, Some(Ok(one)), None) => Some(one),
        _ => None,
    }
}

fn put_u16(table: &mut Vec<u8>, value: u32) {
    table.extend_from_slice(&u16::try_from(value).expect("16 bits").to_le_bytes());
}

/// Bytes 128 to 255 of a single-byte encoding. U+FFFD: none.
fn upper_half(encoding: &'static Encoding) -> Vec<u8> {
    let mut table = Vec::new();
    for byte in 128..=255u8 {
        put_u16(&mut table, character(encoding, &[byte]).map_or(0xFFFD, u32::from));
    }
    table
}

/// What each pointer is: 16 bits of each, 0 for none, then a bit for each that says that it lies in plane 2.
fn index(encoding: &'static Encoding, count: usize, bytes: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let mut table = Vec::new();
    let mut plane_2 = vec![0u8; count.div_ceil(8)];
    for pointer in 0..count {
        let found = character(encoding, &bytes(pointer)).map_or(0, u32::from);
        match found >> 16 {
            0 => {}
            2 => plane_2[pointer / 8] |= 1 << (pointer % 8),
            _ => panic!("{} has a character of another plane", encoding.name()),
        }
        put_u16(&mut table, found & 0xFFFF);
    }
    if plane_2.iter().any(|bits| *bits != 0) {
        table.extend_from_slice(&plane_2);
    }
    table
}

fn byte(value: usize) -> u8 {
    u8::try_from(value).expect("8 bits")
}

/// The four-byte part of gb18030 below U+10000, as runs: the first pointer of each and its character.
fn gb18030_ranges() -> Vec<u8> {
    let mut table = Vec::new();
    let mut next = None;
    for pointer in 0..39420usize {
        let bytes = [
            byte(0x81 + pointer / 12600),
            byte(0x30 + pointer / 1260 % 10),
            byte(0x81 + pointer / 10 % 126),
            byte(0x30 + pointer % 10),
        ];
        let found = u32::from(character(GB18030, &bytes).expect("gb18030 has all of them"));
        if next != Some(found) {
            put_u16(&mut table, pointer as u32);
            put_u16(&mut table, found);
        }
        next = Some(found + 1);
    }
    table
}

/// A trail byte that leaves out `gap` values from 0x7F on.
fn trail(offset: usize, gap: usize) -> u8 {
    byte(if offset < 0x3F { 0x40 + offset } else { 0x40 + gap + offset })
}

fn main() -> std::io::Result<()> {
    let mut tables: Vec<Vec<u8>> = vec![
        index(GB18030, 126 * 190, |at| vec![byte(0x81 + at / 190), trail(at % 190, 1)]),
        gb18030_ranges(),
        index(BIG5, 126 * 157, |at| vec![byte(0x81 + at / 157), trail(at % 157, 0x22)]),
        index(SHIFT_JIS, 60 * 188, |at| {
            // What EUC-JP has not, and what the standard gives to users, is no part of the index.
            if (8836..10716).contains(&at) {
                return vec![0x81];
            }
            let lead = at / 188;
            vec![byte(if lead < 0x1F { 0x81 + lead } else { 0xC1 + lead }), trail(at % 188, 1)]
        }),
        index(EUC_JP, 94 * 94, |at| vec![0x8F, byte(0xA1 + at / 94), byte(0xA1 + at % 94)]),
        index(EUC_KR, 126 * 190, |at| vec![byte(0x81 + at / 190), byte(0x41 + at % 190)]),
    ];
    let mut file = Vec::new();
    file.push(byte(LABELS.len()));
    for (labels, kind) in LABELS {
        let labels: Vec<&str> = labels.split_whitespace().collect();
        let encoding = Encoding::for_label(labels[0].as_bytes()).expect("a label");
        let (first, second) = match kind {
            Kind::SingleByte => {
                tables.push(upper_half(encoding));
                (byte(tables.len() - 1), NO_TABLE)
            }
            Kind::Gb18030 => (0, 1),
            Kind::Big5 => (2, NO_TABLE),
            Kind::EucJp => (3, 4),
            Kind::Iso2022Jp | Kind::ShiftJis => (3, NO_TABLE),
            Kind::EucKr => (5, NO_TABLE),
            _ => (NO_TABLE, NO_TABLE),
        };
        let name = encoding.name().to_ascii_lowercase();
        file.extend_from_slice(&[*kind as u8, first, second, byte(name.len())]);
        file.extend_from_slice(name.as_bytes());
        file.push(byte(labels.len()));
        for label in labels {
            assert_eq!(Encoding::for_label(label.as_bytes()), Some(encoding), "{label}");
            file.push(byte(label.len()));
            file.extend_from_slice(label.as_bytes());
        }
    }
    file.push(byte(tables.len()));
    for table in &tables {
        file.extend_from_slice(&u32::try_from(table.len()).expect("32 bits").to_le_bytes());
        file.extend_from_slice(table);
    }
    std::io::stdout().write_all(&file)
}
