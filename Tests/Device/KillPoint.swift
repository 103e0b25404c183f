import Foundation
import Synchronization
import TintypeClient
import TintypeStore

/// A moment at which the device ends, as by a power cut.
///
/// The moments are `request:N`, before the Nth request is sent; `answer:N`, when the answer to the Nth request has
/// arrived; `commit:N`, in the Nth transaction, before it is stored; and `committed:N`, when it is stored, before anybody
/// knows.
final class KillPoint: Sendable {
    enum Moment: String {
        case request, answer, commit, committed
    }

    private let moment: Moment?
    private let left: Mutex<Int>

    init(_ text: String?) throws {
        guard let text else {
            moment = nil
            left = Mutex(0)
            return
        }
        let parts = text.split(separator: ":")
        guard parts.count == 2, let moment = Moment(rawValue: String(parts[0])), let count = Int(parts[1]) else {
            throw UsageError()
        }
        self.moment = moment
        left = Mutex(count)
    }

    /// Ends the process if this is the moment.
    func pass(_ moment: Moment) {
        guard moment == self.moment else { return }
        let isLast = left.withLock { count in
            count -= 1
            return count == 0
        }
        if isLast { kill(getpid(), SIGKILL) }
    }
}

/// A transport during whose requests the device may end.
struct MortalTransport: Transport {
    private let transport: any Transport
    private let point: KillPoint

    init(_ transport: any Transport, _ point: KillPoint) { (self.transport, self.point) = (transport, point) }

    func response(
        to request: TransportRequest, progress: (@Sendable (Int64) -> Void)?
    ) async throws -> TransportResponse {
        point.pass(.request)
        let response = try await transport.response(to: request, progress: progress)
        point.pass(.answer)
        return response
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        point.pass(.request)
        let stream = try await transport.stream(for: request)
        point.pass(.answer)
        return stream
    }
}

/// A record store during whose transactions the device may end.
struct MortalRecordStore: RecordStore {
    private let records: any RecordStore
    private let point: KillPoint

    init(_ records: any RecordStore, _ point: KillPoint) { (self.records, self.point) = (records, point) }

    func read<Result: Sendable>(_ body: @Sendable (any RecordReader) throws -> Result) async throws -> Result {
        try await records.read(body)
    }

    func write<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (any RecordWriter) throws -> Result
    ) async throws -> Result {
        let result = try await records.write(durability) { [point] writer in
            let result = try body(writer)
            point.pass(.commit)
            return result
        }
        point.pass(.committed)
        return result
    }

    func close() async { await records.close() }
}
