import Foundation
import Synchronization
import TintypeClient

/// A network on whose way photos wait, or meet a fault.
final class UploadGate: Transport {
    /// A fault of uploads.
    enum Fault: CaseIterable {
        /// A refusal because of the token, as after an hour.
        case expiredToken
        /// An error of the system before anything is sent.
        case unknown
        /// The end of the connection after the first MiB.
        case cut
        /// The end of the connection after everything was sent.
        case lostAnswer
    }

    private let base: any Transport
    private let fault: Fault?
    private let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
    private let (cancelled, cancellation) = AsyncStream.makeStream(of: Void.self)
    private let state = Mutex((isOpen: false, waiting: [AsyncStream<Void>.Continuation]()))
    private let counter = Mutex(0)

    init(_ base: any Transport, fault: Fault? = nil) { (self.base, self.fault) = (base, fault) }

    /// The number of uploads.
    var count: Int { counter.withLock(\.self) }

    /// Lets everything pass.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting
        }
        for waiter in waiting { waiter.finish() }
    }

    /// Waits until everything may pass.
    private func pass() async throws {
        let (opened, waiter) = AsyncStream.makeStream(of: Void.self)
        let isOpen = state.withLock { state in
            state.waiting.append(waiter)
            return state.isOpen
        }
        if isOpen { waiter.finish() }
        arrival.yield()
        for await _ in opened {}
        if Task.isCancelled { cancellation.yield() }
        try Task.checkCancellation()
    }

    /// Waits for a number of uploads.
    func arrivals(_ count: Int) async { for await _ in arrived.prefix(count) {} }

    /// Waits until a number of uploads was cancelled.
    func cancellations(_ count: Int) async { for await _ in cancelled.prefix(count) {} }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        counter.withLock { $0 += 1 }
        try await pass()
        switch fault {
        case .expiredToken:
            return TransportResponse(status: 401, body: Data(#"{"code":"bad_token","title":"expired"}"#.utf8))
        case .unknown: throw TransportError(.interrupted)
        case .cut:
            var part = request
            guard case .file(let file, _, let count) = request.body, count > 1 << 20 else { break }
            part.body = .file(file, offset: 0, count: 1 << 20)
            part.headers["Upload-Complete"] = "?0"
            part.headers["Upload-Length"] = String(count)
            _ = try await base.response(to: part, progress: nil)
            throw TransportError(.interrupted)
        case .lostAnswer:
            _ = try await base.response(to: request, progress: progress)
            throw TransportError(.interrupted)
        case nil: break
        }
        return try await base.response(to: request, progress: progress)
    }

    func stream(for request: TransportRequest) async throws -> TransportStream { try await base.stream(for: request) }
}

/// A network that counts the pieces of photos.
final class PieceCounter: Transport {
    private let base: any Transport
    private let counts = Mutex((count: 0, byteCount: Int64(0)))

    init(_ base: any Transport) { self.base = base }

    /// The number of pieces.
    var count: Int { counts.withLock(\.count) }
    /// The number of their bytes.
    var byteCount: Int64 { counts.withLock(\.byteCount) }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        if case .file(_, _, let count) = request.body {
            counts.withLock { $0 = ($0.count + 1, $0.byteCount + count) }
        }
        return try await base.response(to: request, progress: progress)
    }

    func stream(for request: TransportRequest) async throws -> TransportStream { try await base.stream(for: request) }
}

/// A network that answers some requests itself.
final class RefusingTransport: Transport {
    /// An answer in place of the service's.
    enum Answer {
        case interrupted
        case status(Int)
        case refusal(status: Int, code: String)
    }

    private let base: any Transport
    private let answer: @Sendable (TransportRequest, _ number: Int) -> Answer?
    private let counts = Mutex<[String: Int]>([:])

    /// Creates it.
    ///
    /// - Parameter answer: Returns the answer to a request, of which this is the nth with its method and the last part of
    ///   its path, if that is a word; nil to let it pass.
    init(_ base: any Transport, _ answer: @escaping @Sendable (TransportRequest, _ number: Int) -> Answer?) {
        (self.base, self.answer) = (base, answer)
    }

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        let last = request.url.lastPathComponent
        let kind = "\(request.method) \(last.allSatisfy(\.isLowercase) ? last : "")"
        let number = counts.withLock { counts in
            counts[kind, default: 0] += 1
            return counts[kind] ?? 0
        }
        switch answer(request, number) {
        case .interrupted: throw TransportError(.interrupted)
        case .status(let status): return TransportResponse(status: status)
        case .refusal(let status, let code):
            return TransportResponse(status: status, body: Data(#"{"code":"\#(code)","title":"no"}"#.utf8))
        case nil: return try await base.response(to: request, progress: progress)
        }
    }

    func stream(for request: TransportRequest) async throws -> TransportStream { try await base.stream(for: request) }
}
