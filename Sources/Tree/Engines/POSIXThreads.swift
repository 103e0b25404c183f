import Glibc

/// Runs a body on a new thread.
///
/// - Throws: ``TreeError`` with code `engine` when the system has no thread left.
func startThread(_ body: sending @escaping () -> Void) throws(TreeError) {
    let body = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { context in
            if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run() }
            return nil
        }, body.toOpaque())
    guard code == 0 else {
        body.release()
        throw TreeError(.engine, "a thread cannot be started: \(String(cString: strerror(code)))")
    }
    pthread_detach(thread)
}

private final class ThreadBody {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
}

/// Lets threads sleep until others signal; a futex on Linux, so that a signal without a sleeper is no system call.
///
/// It may be shared: POSIX semaphores may be used from any thread, and the handle never changes.
final class Semaphore: @unchecked Sendable {
    private let handle: UnsafeMutablePointer<sem_t>

    init() {
        handle = .allocate(capacity: 1)
        handle.initialize(to: sem_t())
        sem_init(handle, 0, 0)
    }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    func signal() { sem_post(handle) }

    /// Sleeps until there is a signal that nobody else took.
    func wait() { while sem_wait(handle) != 0 && errno == EINTR {} }
}
