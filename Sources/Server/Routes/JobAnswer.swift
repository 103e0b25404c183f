import API
import HTTPTypes
import Hummingbird
import Keeping
import NIOCore
import Requests
import ServiceLifecycle
import Synchronization
import Transport

/// The answer to who waits for a job: what it tells, a JSON object a line. The job ends when its client goes away, and when the
/// service does.
final class JobAnswer: Sendable {
    /// How long a job may take that is about to end, as its client has just gone away.
    private static let patience = Duration.seconds(3)
    /// How often it is told how far a job is.
    private static let interval = Duration.milliseconds(250)
    /// How many lines wait for a slow client.
    private static let maxLines = 256

    private let lines: AsyncStream<ByteBuffer>.Continuation
    private let lastStep = Mutex(ContinuousClock.now - interval)

    private init(lines: AsyncStream<ByteBuffer>.Continuation) { self.lines = lines }

    // MARK: What jobs tell

    /// Tells something, and waits while the client has much to read.
    func tell(_ document: some Document) async throws {
        while case .dropped = lines.yield(Self.line(document)) { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Tells how far the job is, if that was told a while ago.
    func tell(step document: @autoclosure () -> some Document) {
        let isDue = lastStep.withLock { last in
            guard ContinuousClock.now - last >= Self.interval else { return false }
            last = .now
            return true
        }
        if isDue { lines.yield(Self.line(document())) }
    }

    private static func line(_ document: some Document) -> ByteBuffer {
        ByteBuffer(bytes: document.json() + "\n".utf8)
    }

    // MARK: Answering

    /// Answers a request with what a job tells, once it may run.
    ///
    /// - Parameters:
    ///   - isTrusted: Whether its client may learn what went wrong in the service, with names of files.
    ///   - job: Does the job and returns what it tells last.
    /// - Throws: `Failure` `job_running` when another one has the slot.
    static func response(
        to request: Request, isTrusted: Bool, in slot: PostRunSlot,
        _ job: @escaping @Sendable (JobAnswer) async throws -> some Document
    ) async throws -> Response {
        let ticket = try await take(slot)
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(ticket) {} }
                // Noticed at once when the client goes away: the next job need not wait for a write that fails.
                let body = request.body
                try await body.consumeWithCancellationOnInboundClose { _ in
                    try await Self.run(job, isTrusted: isTrusted, tellingTo: &writer)
                }
                try await writer.finish(nil)
            })
    }

    /// A job whose client has just gone away ends with the post that it is at: that is waited for.
    private static func take(_ slot: PostRunSlot) async throws -> PostRunSlot.Ticket {
        let deadline = ContinuousClock.now + patience
        while true {
            if let ticket = slot.take() { return ticket }
            guard ContinuousClock.now < deadline else {
                throw Failure(.jobRunning, "a job is running", hint: "wait for its end, or stop it")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @concurrent private static func run(
        _ job: @escaping @Sendable (JobAnswer) async throws -> some Document, isTrusted: Bool,
        tellingTo writer: inout any ResponseBodyWriter
    ) async throws {
        let (lines, continuation) = AsyncStream.makeStream(
            of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(maxLines))
        let last = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            defer { group.cancelAll() }
            group.addTask(name: "job") {
                defer { continuation.finish() }
                do {
                    return line(try await job(JobAnswer(lines: continuation)))
                } catch {
                    return line(JobFailureDocument(failure(error, isTrusted: isTrusted)))
                }
            }
            try await withGracefulShutdownHandler {
                for await line in lines { try await writer.write(line) }
            } onGracefulShutdown: {
                continuation.finish()
            }
            if Task.isShuttingDownGracefully { group.cancelAll() }
            return try await group.next()
        }
        if let last { try await writer.write(last) }
    }

    private static func failure(_ error: any Error, isTrusted: Bool) -> Failure {
        guard error is CancellationError else { return isTrusted ? Failure(error) : Problem(error).failure }
        return Failure(
            .shuttingDown, "the service is stopping", hint: "run it again: it goes on from there", isTransient: true)
    }
}
