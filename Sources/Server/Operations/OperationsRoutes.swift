import API
import Access
import HTTPTypes
import Hummingbird
import NIOCore
package import Requests
import Transport
import Uploads

/// `/v1/operations`: a report of the service's state, once or as a stream.
package struct OperationsRoutes: Sendable {
    /// The time between checks for changes.
    private static let interval = Duration.seconds(1)
    /// The number of checks after which the report is sent even without a change.
    private static let patience = 15

    private let report: OperationsReport
    private let admission: Admission

    package init(_ report: OperationsReport, _ admission: Admission) {
        (self.report, self.admission) = (report, admission)
    }

    package func add(to routes: inout RouteTable) {
        let show = Endpoint.admin(
            for: "the operations report",
            "getOperations", in: .operations, "Get a report of the service's state",
            answers: [.json(OperationsDocument.self)], run: show)
        routes.add("/v1/operations", [.get: show])
        let follow = Endpoint.admin(
            for: "the operations report",
            "watchOperations", in: .operations, "Watch reports of the service's state, as server-sent events",
            answers: [.events(OperationsDocument.self)], run: follow)
        routes.add("/v1/operations/events", [.get: follow])
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        return .json(try await report.document())
    }

    @Sendable private func follow(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let lease = try context.begin(.stream)
        let ticket = admission.open.add(
            .stream, request.head.path, by: context.proof, from: context.client.address(of: request.head))
        let headers: HTTPFields = [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { [proof = context.proof] writer in
                defer { withExtendedLifetime((lease, ticket)) {} }
                let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                tick.yield()
                try await request.body.answerUntilEnd {
                    async let _ = Self.tick(tick)
                    try await send(by: proof, to: &writer, at: ticks)
                } onEnd: {
                    tick.finish()
                }
                try await writer.finish(nil)
            })
    }

    private static func tick(_ tick: AsyncStream<Void>.Continuation) async throws {
        while true {
            try await Task.sleep(for: interval)
            tick.yield()
        }
    }

    /// Sends the report when it has changed, or after a while, until the reader disconnects or loses its permission, or
    /// the service stops.
    @concurrent private func send(
        by proof: Proof, to writer: inout any ResponseBodyWriter, at ticks: AsyncStream<Void>
    ) async throws {
        var last: [UInt8] = []
        var silence = 0
        for await _ in ticks {
            guard (try? admission.access.recheck(proof)) != nil else {
                return try await writer.write(EventMessage.revoked)
            }
            silence += 1
            // A transient error is skipped: the next report may succeed.
            guard let document = try? await report.document() else { continue }
            let mark = document.withoutTime.json()
            guard mark != last || silence >= Self.patience else { continue }
            (last, silence) = (mark, 0)
            let message = EventMessage.event("operations", document).text(id: "\(document.time)")
            try await writer.write(ByteBuffer(string: message))
        }
    }
}

extension EventMessage {
    /// The last event of a stream whose client has lost its permission.
    fileprivate static let revoked = ByteBuffer(
        string: "event: auth_revoked\ndata: \"credential is no longer valid\"\n\n")
}

extension OperationsDocument {
    /// The report without the values that change slightly all the time.
    fileprivate var withoutTime: OperationsDocument {
        var document = self
        document.time = 0
        document.memory = memory.map { $0 >> 22 }
        document.disk.free = disk.free.map { $0 >> 24 }
        return document
    }
}
