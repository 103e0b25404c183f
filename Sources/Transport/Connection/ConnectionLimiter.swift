import Glibc
import Synchronization

/// The largest numbers of open connections, by listener.
package struct ConnectionLimits: Sendable, Hashable {
    /// The limit over TCP.
    package let tcp: Int
    /// The limit over TCP and the Unix socket together.
    package let all: Int

    package init(tcp: Int, all: Int) {
        self.tcp = tcp
        self.all = all
    }

    /// Computes the limits of a process with this many descriptors. A quarter, and at least 96, is reserved for the
    /// tree, photos in work and files being read; a sixteenth, and at least 16, for the Unix socket, so that its owner
    /// can connect while the TCP port is crowded.
    init(descriptors: Int) {
        let all = max(2, descriptors - max(96, descriptors / 4))
        self.init(tcp: max(1, all - max(16, descriptors / 16)), all: all)
    }

    /// The limits of this process.
    package static var ofProcess: ConnectionLimits {
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return ConnectionLimits(descriptors: isKnown ? Int(clamping: limit.rlim_cur) : 1024)
    }
}

/// The connections of all listeners, and the listeners that wait for one of them to end.
package final class ConnectionLimiter: Sendable {
    private struct State {
        var open = 0
        var openOnSocket = 0
        /// The actions to run when a connection has ended, by waiting listener.
        var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether a listener is waiting and accepts no connections.
    package var isFull: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// The number of open connections.
    package var count: Int { state.withLock { $0.open } }

    /// The number of open connections over the Unix socket.
    package var socketCount: Int { state.withLock { $0.openOnSocket } }

    /// Counts a connection that has begun.
    ///
    /// - Parameter isLocal: Whether it uses the Unix socket.
    func enter(isLocal: Bool) {
        state.withLock { state in
            state.open += 1
            if isLocal { state.openOnSocket += 1 }
        }
    }

    /// Counts a connection that has ended.
    func leave(isLocal: Bool) {
        let waiting = state.withLock { state in
            state.open -= 1
            if isLocal { state.openOnSocket -= 1 }
            return Array(state.waiting.values)
        }
        for wake in waiting { wake() }
    }

    /// Calls `wake` whenever a connection ends, until ``stopWaiting(_:)``. The call is made on the thread that reports
    /// the end, and may still come just after the waiting has been stopped.
    func wait(_ listener: AnyObject, wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting[ObjectIdentifier(listener)] = wake }
    }

    func stopWaiting(_ listener: AnyObject) {
        _ = state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(listener)) }
    }
}
