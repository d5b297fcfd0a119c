#include "features/stuck.h"

const uint8_t nd_stuck[4096] = {
#include "features/escapes.h"
};
