internal import CSandbox

/// The sandbox that a worker enters, where it gives up all that computing does not need. There is no way back.
enum Sandbox {
    /// An error about something that this system does not have, or does not allow.
    struct Missing: Error, Sendable {
        let what: String
    }

    /// Enters the sandbox, and returns how much address space is in use, in bytes.
    static func enter() throws(Missing) -> Int {
        try check(csandbox_warm_up(), "threads")
        WarmUpImage.render()
        let byteCount = csandbox_address_space()
        try check(Int32(clamping: min(byteCount, 0)), "/proc/self/statm")
        _ = csandbox_volunteer()  // Without it, the kernel chooses by size.
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
