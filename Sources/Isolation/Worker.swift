internal import CSandbox
internal import Glibc
import Imaging
import Synchronization

/// A worker process as the service sees it. The process ends when the last reference to this object is released.
///
/// It renders one image at a time: the caller of `render` must have exclusive use of it.
final class Worker: Sendable {
    /// The result of rendering an image.
    enum RenderResult: Sendable {
        case rendered(RenderedImage)
        case refused(ImageError)
        /// The file cannot be read; the value is that of `errno`.
        case unreadable(Int32)
        case failed(WorkerFailure)
    }

    /// The processor time that a worker may use between two images, in seconds: an idle worker needs almost none.
    private static let idleSeconds = 1
    /// The maximum number of threads of a worker, far more than any decoder needs.
    private static let maxThreads = 256

    private let process: WorkerProcess
    private let socket: Int32
    private let limits: WorkerLimits
    private let renderedCount = Atomic(0)
    private let isExhausted = Atomic(false)
    /// The memory for the renditions of all images; a worker that keeps descriptors of it gains no more memory.
    private let memory: SharedMemory

    /// Starts a process and waits until it has entered its sandbox.
    ///
    /// - Parameter capacity: The maximum size of the renditions of one image, in bytes.
    init(_ program: WorkerProgram, limits: WorkerLimits, capacity: Int) throws(IsolationError) {
        let memory = try SharedMemory(byteCount: capacity)
        var sockets: [Int32] = [-1, -1]
        let paired = csandbox_socket_pair(&sockets)
        guard paired == 0 else { throw .noWorker("sockets: \(String(errno: -paired))") }
        do throws(IsolationError) {
            process = try WorkerProcess(program, socket: sockets[1], isBackground: limits.isBackground)
        } catch {
            for socket in sockets { _ = close(socket) }
            throw error
        }
        // The connection ends with the worker only if no other process has the worker's end.
        _ = close(sockets[1])
        socket = sockets[0]
        self.limits = limits
        self.memory = memory
        try receiveHandshake()
    }

    deinit { _ = close(socket) }

    private func receiveHandshake() throws(IsolationError) {
        guard case .message(let message) = receive(within: max(limits.clockTimeout, .seconds(60))) else {
            throw .noWorker("it sent no handshake: \(process.failure())")
        }
        switch try? Handshake(message) {
        case .ready(let count):
            try process.limit(
                addressSpaceBytes: count + limits.memoryBytes, cpuSeconds: limits.cpuSecondsPerWorker)
        case .missing(let what): throw .unavailable(what)
        case nil: throw .noWorker("its handshake is malformed")
        }
    }

    /// Whether the worker waits for a request. A worker that has ended, or has sent an unexpected message, does not.
    var isWaiting: Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 0
    }

    /// Whether the worker has rendered its maximum number of images, or must not be used for another reason.
    var needsReplacement: Bool {
        isExhausted.load(ordering: .relaxed) || renderedCount.load(ordering: .relaxed) >= limits.imagesPerWorker
    }

    /// Whether the worker has not rendered any image yet.
    var isFresh: Bool { renderedCount.load(ordering: .relaxed) == 0 }

    /// Whether the worker's memory is large enough for a request.
    func hasRoom(for request: RenderRequest) -> Bool { memory.byteCount >= request.capacity }

    /// Renders an image. Blocks until there is a result; after a failure, this worker must not be used again.
    func render(_ file: Int32, _ request: RenderRequest) throws(IsolationError) -> RenderResult {
        renderedCount.add(1, ordering: .relaxed)
        let message = request.message
        let cpuLimit = try process.grantTime(for: limits.cpuSeconds)
        // The total time of the worker is almost used up, and the next image might get less than its limit.
        if cpuLimit + limits.cpuSeconds + 2 > limits.cpuSecondsPerWorker { isExhausted.store(true, ordering: .relaxed) }
        guard csandbox_send(socket, message, message.count, [file, memory.descriptor], 2) == 0 else {
            return .failed(process.failure())
        }
        let reply: ArraySlice<UInt8>
        switch receive(within: limits.clockTimeout) {
        case .message(let message): reply = message
        case .gone: return .failed(process.failure())
        case .timeIsOver: return .failed(end(process.isStalled ? .stalled : .timedOut))
        case .tooManyThreads: return .failed(end(.tooManyThreads))
        }
        do throws(MalformedMessage) {
            let result = try result(of: RenderAnswer(reply, to: request), request)
            rest()
            return result
        } catch {
            return .failed(end(.malformedMessage(error.what)))
        }
    }

    private func end(_ failure: WorkerFailure) -> WorkerFailure {
        process.end()
        return failure
    }

    /// Reduces the worker's processor time to that of an idle worker; the kernel ends a worker that continues to
    /// compute.
    private func rest() {
        let isAtRest = (try? process.grantTime(for: Self.idleSeconds)) != nil
        if !isAtRest || process.threadCount ?? 0 > Self.maxThreads { isExhausted.store(true, ordering: .relaxed) }
    }

    private func result(
        of answer: RenderAnswer, _ request: RenderRequest
    ) throws(MalformedMessage) -> RenderResult {
        switch answer {
        case .refused(let error): return .refused(error)
        case .unreadable(let code): return .unreadable(code)
        case .rendered(let summary):
            var renditions: [Rendition] = []
            for (piece, recipe) in zip(summary.pieces, request.recipes) {
                let bytes = memory.bytes(at: piece.offset, count: piece.byteCount)
                guard bytes.count == piece.byteCount, ImageFormat.detect(bytes.span) == piece.format else {
                    throw MalformedMessage(what: "a rendition of another format")
                }
                renditions.append(Rendition(recipe: recipe, format: piece.format, size: piece.size, bytes: bytes))
            }
            memory.release(after: renditions.reduce(0) { $0 + $1.bytes.count })
            return .rendered(
                RenderedImage(
                    header: summary.header, renditions: renditions, placeholder: summary.placeholder,
                    color: summary.color, warnings: summary.warnings))
        }
    }

    private enum Reply {
        case message(ArraySlice<UInt8>)
        /// The worker has closed its socket.
        case gone
        case timeIsOver
        case tooManyThreads
    }

    /// Waits for a message. A message that is too long is truncated and therefore malformed. The kernel drops
    /// descriptors that are sent with it.
    private func receive(within timeout: Duration) -> Reply {
        let deadline = SuspendingClock.now + timeout
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let (seconds, attoseconds) = (deadline - SuspendingClock.now).components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
            guard milliseconds > 0 else { return .timeIsOver }
            let result = poll(&polled, 1, Int32(min(milliseconds, 100)))
            if result > 0 { break }
            guard result == 0 || errno == EINTR else { return .gone }
            if process.threadCount ?? 0 > Self.maxThreads { return .tooManyThreads }
        }
        var buffer = [UInt8](repeating: 0, count: MessageReader.maxBytes)
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count > 0 ? .message(buffer[..<count]) : .gone
    }
}
