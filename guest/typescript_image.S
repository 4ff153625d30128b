// The compiled module that strips types, between two symbols, on a page of its own.
        .section .rodata.cordon_typescript_image, "a"
        .balign 4096
        .global cordon_typescript_image
        .hidden cordon_typescript_image
cordon_typescript_image:
        .incbin CORDON_TYPESCRIPT_IMAGE
        .global cordon_typescript_image_end
        .hidden cordon_typescript_image_end
cordon_typescript_image_end:
        .section .note.GNU-stack, "", %progbits
