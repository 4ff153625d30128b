// The tables of encodings that guests ask for (src/cordon/js/encodings.h), between two symbols.
        .section .rodata.cordon_encodings, "a"
        .global cordon_encodings
        .hidden cordon_encodings
cordon_encodings:
        .incbin CORDON_ENCODINGS
        .global cordon_encodings_end
        .hidden cordon_encodings_end
cordon_encodings_end:
        .section .note.GNU-stack, "", %progbits
