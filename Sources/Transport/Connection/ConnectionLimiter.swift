import Glibc
import Synchronization

/// How many connections may be open at once, by the listener that accepts them.
package struct ConnectionLimits: Sendable, Hashable {
    /// Over TCP.
    package let tcp: Int
    /// Over TCP and the Unix socket together.
    package let all: Int

    package init(tcp: Int, all: Int) {
        self.tcp = tcp
        self.all = all
    }

    /// What a process with so many descriptors can give away: a quarter, and 96 at least, is for the tree, the photos in
    /// work and the files that are read; a sixteenth, and 16 at least, for the Unix socket, so that its owner gets in
    /// when a crowd is at the TCP port.
    init(descriptors: Int) {
        let all = max(2, descriptors - max(96, descriptors / 4))
        self.init(tcp: max(1, all - max(16, descriptors / 16)), all: all)
    }

    /// What this process can give away.
    package static var ofProcess: ConnectionLimits {
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return ConnectionLimits(descriptors: isKnown ? Int(clamping: limit.rlim_cur) : 1024)
    }
}

/// The connections of all listeners, and who waits for one of them to end.
package final class ConnectionLimiter: Sendable {
    private struct State {
        var open = 0
        var openOnSocket = 0
        /// What to do when a connection has ended, by the listener that waits for it.
        var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether a listener takes no connections just now.
    package var isFull: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// How many connections are open.
    package var count: Int { state.withLock { $0.open } }

    /// How many of them came through the Unix socket.
    package var socketCount: Int { state.withLock { $0.openOnSocket } }

    /// A connection has begun.
    ///
    /// - Parameter isLocal: Whether it came through the Unix socket.
    func enter(isLocal: Bool) {
        state.withLock { state in
            state.open += 1
            if isLocal { state.openOnSocket += 1 }
        }
    }

    /// A connection has ended.
    func leave(isLocal: Bool) {
        let waiting = state.withLock { state in
            state.open -= 1
            if isLocal { state.openOnSocket -= 1 }
            return Array(state.waiting.values)
        }
        for wake in waiting { wake() }
    }

    /// Calls `wake` whenever a connection ends, until ``stopWaiting(_:)``.
    func wait(_ listener: AnyObject, wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting[ObjectIdentifier(listener)] = wake }
    }

    func stopWaiting(_ listener: AnyObject) {
        _ = state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(listener)) }
    }
}
