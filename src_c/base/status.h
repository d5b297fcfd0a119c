/* Status codes: every call that can fail returns one. */
#ifndef ND_BASE_STATUS_H
#define ND_BASE_STATUS_H

typedef enum nd_status {
    ND_OK = 0,
    ND_NO_MEMORY,    /* an allocation failed; nothing was changed */
    ND_BAD_ARGUMENT, /* a value outside the documented range */
    ND_BAD_BOARD,    /* checkers that no game can show */
    ND_BAD_FILE,     /* not a container of the expected kind, or truncated */
    ND_BAD_VERSION,  /* a container this build cannot read */
    ND_BAD_CHECKSUM, /* the payload differs from what its header promises */
    ND_IO,           /* the operating system refused; see the file named by the caller */
    ND_CANCELLED,    /* the stop flag was raised */
    ND_UNSUPPORTED   /* this machine or build lacks it */
} nd_status;

/* One short English phrase, never NULL. */
const char *nd_status_text(nd_status status);

#endif
