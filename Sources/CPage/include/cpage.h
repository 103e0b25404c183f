// The files of the web pages: scripts, style sheets, templates, texts and the icon, as bytes in the binary.

#ifndef CPAGE_H
#define CPAGE_H

#include <stddef.h>

struct cpage_file {
    /// The name in the folder `Files`; null after the last file.
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// Returns the file with an index from 0, in the order of names.
struct cpage_file cpage_file_at(size_t index);

#endif
