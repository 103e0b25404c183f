import Glibc

/// The limit on open files and connections of the process.
enum DescriptorLimit {
    /// Raises the limit to the maximum that the system permits: each listener of the database has a connection, and the
    /// usual limit of 1,024 exists for programs that use `select(2)`.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // With a lower limit the service supports fewer listeners.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
