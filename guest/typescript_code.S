// The compiled module that strips types, between two symbols, on a page of its own.
        .section .rodata.cordon_typescript_code, "a"
        .balign 4096
        .global cordon_typescript_code
        .hidden cordon_typescript_code
cordon_typescript_code:
        .incbin CORDON_TYPESCRIPT_CODE
        .global cordon_typescript_code_end
        .hidden cordon_typescript_code_end
cordon_typescript_code_end:
        .section .note.GNU-stack, "", %progbits
