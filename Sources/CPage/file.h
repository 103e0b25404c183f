// One file of cpage_file_at: includes CPAGE_FILE, and returns it if it has the wanted index, without the folder in its name.
// Included once for each file.

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
{
    static const unsigned char bytes[] = {
#embed CPAGE_FILE
    };
    if (index-- == 0) return (struct cpage_file){CPAGE_FILE + sizeof "Files/" - 1, bytes, sizeof bytes};
}
#pragma clang diagnostic pop
#undef CPAGE_FILE
