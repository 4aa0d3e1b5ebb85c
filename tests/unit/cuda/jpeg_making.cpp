// The decoder tests' maker of JPEG files.
#include "tests/unit/decode/jpeg_making.cpp"
