public import Foundation
public import TintypeClient

/// A transport that passes requests to another one, and writes each with its answer as a JSON file into a folder, from
/// which `ReplayTransport` plays them back.
///
/// The files are numbered in the order of the requests. They contain no `Authorization`, cookies, tokens, passwords,
/// or codes, and no bytes of files. An exchange that cannot be written makes its request fail.
public final class RecordingTransport: Transport {
    private let base: any Transport
    private let folder: URL
    private let count = Guarded(0)

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - base: The transport that sends the requests.
    ///   - folder: The folder for the files, which is created if it does not exist.
    public init(_ base: any Transport, folder: URL) throws {
        (self.base, self.folder) = (base, folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let last = names.compactMap { Int($0.prefix { $0.isNumber }) }.max() ?? 0
        count.withLock { $0 = last }
    }

    /// Sends a request and returns the whole answer, whatever its status.
    ///
    /// - Throws: `TransportError` without a whole answer; `CancellationError` if the task was cancelled.
    public func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        var record = RecordedExchange(request)
        let file = nextFile()
        do {
            let response = try await base.response(to: request, progress: progress)
            record.end(response, of: request)
            try record.write(to: file)
            return response
        } catch let error as TransportError {
            record.end(error)
            try record.write(to: file)
            throw error
        }
    }

    /// Sends a request and returns the answer as soon as its header is there. The chunks are recorded when the stream ends.
    ///
    /// - Throws: `TransportError` without an answer; `CancellationError` if the task was cancelled.
    public func stream(for request: TransportRequest) async throws -> TransportStream {
        let record = RecordedExchange(request)
        let file = nextFile()
        do {
            let stream = try await base.stream(for: request)
            let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
            let pump = Task { await Self.record(stream, in: record, file, continuation) }
            continuation.onTermination = { _ in pump.cancel() }
            return TransportStream(status: stream.status, headers: stream.headers, chunks: chunks)
        } catch let error as TransportError {
            var record = record
            record.end(error)
            try record.write(to: file)
            throw error
        }
    }

    private static func record(
        _ stream: TransportStream, in record: RecordedExchange, _ file: URL,
        _ continuation: AsyncThrowingStream<Data, any Error>.Continuation
    ) async {
        var record = record
        var answer = RecordedExchange.Answer(
            status: stream.status, headers: Secrets.redacted(stream.headers), body: nil, chunks: [])
        do {
            defer { record.answer = answer }
            for try await chunk in stream.chunks {
                if let body = RecordedExchange.Body(chunk) { answer.chunks?.append(body) }
                continuation.yield(chunk)
            }
        } catch {
            record.end(error)
        }
        do {
            try record.write(to: file)
            continuation.finish(throwing: record.failure.map { TransportError($0.cause, $0.detail) })
        } catch {
            continuation.finish(throwing: error)
        }
    }

    private func nextFile() -> URL {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let digits = String(number)
        return folder.appendingPathComponent(String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".json")
    }
}

extension RecordedExchange {
    fileprivate func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: file, options: .atomic)
    }
}
