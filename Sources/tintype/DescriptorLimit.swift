import Glibc

/// How many files and connections the process may have open.
enum DescriptorLimit {
    /// Asks for as many as the system permits: who listens to the database has a connection each, and the usual limit
    /// of 1,024 is there for programs that use `select(2)`.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // A service with fewer is still one.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
