internal import CSandbox

/// The sandbox that a worker enters, giving up all privileges that computing does not need. It cannot be left.
enum Sandbox {
    /// An error about a feature that this system lacks or does not allow.
    struct Missing: Error, Sendable {
        let what: String
    }

    /// Enters the sandbox; returns the size of the address space in use, in bytes.
    static func enter() throws(Missing) -> Int {
        try check(csandbox_warm_up(), "threads")
        WarmUpImage.render()
        let byteCount = csandbox_address_space()
        try check(Int32(clamping: min(byteCount, 0)), "/proc/self/statm")
        _ = csandbox_volunteer()  // Otherwise the kernel chooses the process to kill by size.
        try check(csandbox_separate(), "giving up privileges")
        try check(csandbox_renounce(), "no new privileges (prctl)")
        try check(csandbox_landlock(), "Landlock")
        try check(csandbox_filter(), "a filter of system calls (seccomp)")
        return Int(byteCount)
    }

    private static func check(_ result: Int32, _ what: String) throws(Missing) {
        guard result >= 0 else { throw Missing(what: "\(what): \(String(errno: -result))") }
    }
}
