internal import CSandbox
internal import Glibc
import Imaging
import Synchronization

/// A process that renders, as the service sees it. It is killed, and waited for, when its last reference goes.
///
/// For one photo at a time: whoever renders by it has it alone.
final class Worker: Sendable {
    /// What came of a photo.
    enum Outcome: Sendable {
        case rendered(RenderedImage)
        case refused(ImageError)
        /// The photo cannot be read; with the error number.
        case unreadable(Int32)
        case died(WorkerDeath)
    }

    let process: pid_t
    private let socket: Int32
    private let limits: WorkerLimits
    private let renderedCount = Atomic(0)
    /// What `waitpid(2)` gave, once it was asked.
    private let status = Mutex<Int32?>(nil)

    /// Starts a process, and waits until it has shut itself in.
    init(_ program: WorkerProgram, limits: WorkerLimits) throws(IsolationError) {
        (socket, process) = try Self.start(program)
        self.limits = limits
        try welcome()
    }

    private static func start(_ program: WorkerProgram) throws(IsolationError) -> (socket: Int32, process: pid_t) {
        var sockets: [Int32] = [-1, -1]
        let paired = csandbox_socket_pair(&sockets)
        guard paired == 0 else { throw .noWorker("sockets: \(String(errno: -paired))") }
        // Only while the worker alone has its end does its death end the talk.
        defer { _ = close(sockets[1]) }
        var process: pid_t = 0
        let spawned = withCStrings([CommandLine.arguments.first ?? program.path] + program.arguments) { arguments in
            withCStrings(program.environment) { environment in
                csandbox_spawn(program.path, arguments, environment, sockets[1], &process)
            }
        }
        guard spawned == 0 else {
            _ = close(sockets[0])
            throw .noWorker("\(program.path): \(String(errno: -spawned))")
        }
        return (sockets[0], process)
    }

    deinit {
        _ = end()
        _ = close(socket)
    }

    private func welcome() throws(IsolationError) {
        guard let message = receive(within: max(limits.patience, .seconds(60))) else {
            throw .noWorker("it did not greet: \(WorkerDeath(status: end()))")
        }
        switch try? Greeting(message) {
        case .ready(let count):
            let result = csandbox_limit(process, UInt64(count + limits.memoryBytes))
            guard result == 0 else { throw .unavailable("resource limits: \(String(errno: -result))") }
        case .missing(let what): throw .unavailable(what)
        case nil: throw .noWorker("its greeting makes no sense")
        }
    }

    /// Whether it waits for a photo, as it should. One that has died, or speaks without being asked, does not.
    var isWaiting: Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 0
    }

    /// Whether it has rendered as much as one should.
    var isWornOut: Bool { renderedCount.load(ordering: .relaxed) >= limits.photosPerWorker }

    /// Has a photo rendered. Blocks until there is an outcome; after a death, this worker is of no more use.
    ///
    /// - Throws: `IsolationError` when there is no memory for the renditions.
    func render(_ photo: Int32, _ request: RenderRequest) throws(IsolationError) -> Outcome {
        renderedCount.add(1, ordering: .relaxed)
        let memory = try SharedMemory(byteCount: request.capacity)
        let message = request.message
        let limited = csandbox_limit_cpu(process, UInt64(limits.cpuSeconds))
        guard limited == 0 else { throw .noWorker("processor time: \(String(errno: -limited))") }
        guard csandbox_send(socket, message, message.count, [photo, memory.descriptor], 2) == 0 else {
            return .died(WorkerDeath(status: end()))
        }
        let deadline = SuspendingClock.now + limits.patience
        guard let reply = receive(within: limits.patience) else {
            return .died(SuspendingClock.now >= deadline ? timedOut() : WorkerDeath(status: end()))
        }
        do {
            return try outcome(of: RenderAnswer(reply, to: request), request, memory)
        } catch {
            _ = end()
            return .died(.nonsense(error.what))
        }
    }

    private func timedOut() -> WorkerDeath {
        _ = end()
        return .timedOut
    }

    private func outcome(
        of answer: RenderAnswer, _ request: RenderRequest, _ memory: borrowing SharedMemory
    ) throws(MessageReader.Nonsense) -> Outcome {
        switch answer {
        case .refused(let error): return .refused(error)
        case .unreadable(let code): return .unreadable(code)
        case .rendered(let summary):
            var renditions: [Rendition] = []
            for (piece, recipe) in zip(summary.pieces, request.recipes) {
                let bytes = memory.bytes(at: piece.offset, count: piece.byteCount)
                guard bytes.count == piece.byteCount, ImageFormat.detect(bytes.span) == piece.format else {
                    throw MessageReader.Nonsense(what: "a rendition that is none")
                }
                renditions.append(Rendition(recipe: recipe, format: piece.format, size: piece.size, bytes: bytes))
            }
            return .rendered(
                RenderedImage(
                    header: summary.header, renditions: renditions, placeholder: summary.placeholder,
                    color: summary.color, warnings: summary.warnings))
        }
    }

    /// Waits for a message; nil when the time is over or the other side is gone. One that is too long is cut, and makes
    /// no sense then. Descriptors that come with it are dropped by the kernel.
    private func receive(within patience: Duration) -> ArraySlice<UInt8>? {
        let deadline = SuspendingClock.now + patience
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let (seconds, attoseconds) = (deadline - SuspendingClock.now).components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
            guard milliseconds > 0 else { return nil }
            let result = poll(&polled, 1, Int32(clamping: milliseconds))
            if result > 0 { break }
            guard result == 0 || errno == EINTR else { return nil }
        }
        var buffer = [UInt8](repeating: 0, count: MessageReader.maxBytes)
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count > 0 ? buffer[..<count] : nil
    }

    /// Kills the process, unless it is dead, and waits for its end: a process that is ending already keeps its own reason.
    private func end() -> Int32 {
        status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            kill(process, SIGKILL)
            while waitpid(process, &raw, 0) < 0, errno == EINTR {}
            status = raw
            return raw
        }
    }
}

private func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}
