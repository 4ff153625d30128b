// The compiled guest between two symbols, on a page of its own.
        .section .rodata.cordon_guest_image, "a"
        .balign 4096
        .global cordon_guest_image
        .hidden cordon_guest_image
cordon_guest_image:
        .incbin CORDON_GUEST_IMAGE
        .global cordon_guest_image_end
        .hidden cordon_guest_image_end
cordon_guest_image_end:
        .section .note.GNU-stack, "", %progbits
