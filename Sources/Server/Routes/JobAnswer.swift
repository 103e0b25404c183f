import API
import HTTPTypes
import Hummingbird
import Keeping
import NIOCore
import Requests
import ServiceLifecycle
import Synchronization
import Transport

/// The response to a client that waits for a job: the job's reports, a JSON object a line. The job ends when its client
/// disconnects, or when the service stops.
final class JobAnswer: Sendable {
    /// The longest wait for a job that is ending because its client has disconnected.
    private static let patience = Duration.seconds(3)
    /// The shortest time between reports of the progress.
    private static let interval = Duration.milliseconds(250)
    /// The largest number of lines that wait for a slow client.
    private static let maxLines = 256

    private let lines: AsyncStream<ByteBuffer>.Continuation
    private let lastStep = Mutex(ContinuousClock.now - interval)

    private init(lines: AsyncStream<ByteBuffer>.Continuation) { self.lines = lines }

    // MARK: Reports of the job

    /// Sends a report, and waits while the client has many to read.
    func tell(_ document: some Document) async throws {
        while case .dropped = lines.yield(Self.line(document)) { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Sends a report of the progress, unless the last one is recent.
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

    // MARK: Response

    /// Answers a request with a job's reports, once it may run.
    ///
    /// - Parameters:
    ///   - isTrusted: Whether the client may see internal errors, with names of files.
    ///   - job: Runs the job and returns its last report.
    /// - Throws: `Failure` `job_running` if another one has the slot.
    static func response(
        to request: Request, isTrusted: Bool, in slot: PostRunSlot,
        _ job: @escaping @Sendable (JobAnswer) async throws -> some Document
    ) async throws -> Response {
        let ticket = try await take(slot)
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(ticket) {} }
                // A disconnection is noticed at once, so that the next job need not wait for a failing write.
                let body = request.body
                try await body.consumeWithCancellationOnInboundClose { _ in
                    try await Self.run(job, isTrusted: isTrusted, tellingTo: &writer)
                }
                try await writer.finish(nil)
            })
    }

    /// Claims the slot. A job whose client has just disconnected ends with its current post; that end is awaited.
    private static func take(_ slot: PostRunSlot) async throws -> PostRunSlot.Ticket {
        let deadline = ContinuousClock.now + patience
        while true {
            if let ticket = slot.take() { return ticket }
            guard ContinuousClock.now < deadline else {
                throw Failure(.jobRunning, "a job is running", hint: "Wait for its end, or stop it.")
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
            .shuttingDown, "the service is stopping", hint: "Run it again: it continues from there.", isTransient: true)
    }
}
