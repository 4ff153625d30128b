#pragma once

// Libraries are compiled with hidden visibility; what an embedder may call carries this mark.
#define CORDON_API __attribute__((visibility("default")))
