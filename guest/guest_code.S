// The compiled guest between two symbols, on a page of its own.
        .section .rodata.cordon_guest_code, "a"
        .balign 4096
        .global cordon_guest_code
        .hidden cordon_guest_code
cordon_guest_code:
        .incbin CORDON_GUEST_CODE
        .global cordon_guest_code_end
        .hidden cordon_guest_code_end
cordon_guest_code_end:
// SHA-256 of the module before it became machine code, in hexadecimal.
        .global cordon_guest_hash
        .hidden cordon_guest_hash
cordon_guest_hash:
        .incbin CORDON_GUEST_HASH
        .section .note.GNU-stack, "", %progbits
