import Glibc

/// Runs a body on a new thread.
///
/// - Throws: ``TreeError`` with code `engine` if the system cannot create a thread.
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

/// A semaphore on which threads sleep until others signal it. On Linux it is a futex, so that a signal without a
/// sleeper needs no system call.
///
/// It is safe to share: POSIX semaphores may be used from any thread, and the handle never changes.
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

    /// Sleeps until a signal arrives that no other thread consumes.
    func wait() { while sem_wait(handle) != 0 && errno == EINTR {} }
}
