#include "base/status.h"

const char *nd_status_text(nd_status status)
{
    switch (status) {
    case ND_OK: return "ok";
    case ND_NO_MEMORY: return "out of memory";
    case ND_BAD_ARGUMENT: return "argument out of range";
    case ND_BAD_BOARD: return "impossible board";
    case ND_BAD_FILE: return "not a file of the expected kind";
    case ND_BAD_VERSION: return "file version not supported";
    case ND_BAD_CHECKSUM: return "file is damaged (checksum differs)";
    case ND_IO: return "input/output error";
    case ND_CANCELLED: return "cancelled";
    case ND_UNSUPPORTED: return "not supported on this machine";
    }
    return "unknown status";
}
