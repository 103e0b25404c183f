import API
import Access
import HTTPTypes
import Hummingbird
import NIOCore
package import Requests
import Transport
import Uploads

/// `/v1/operations`: how everything is, at a glance or as it goes on.
package struct OperationsRoutes: Sendable {
    /// How often it is looked whether anything has changed.
    private static let interval = Duration.seconds(1)
    /// After how many looks it is told all the same.
    private static let patience = 15

    private let report: OperationsReport
    private let admission: Admission

    package init(_ report: OperationsReport, _ admission: Admission) {
        (self.report, self.admission) = (report, admission)
    }

    package func add(to routes: inout RouteTable) {
        let show = Endpoint.admin(
            for: "how the service is, at a glance,",
            "How the service is, at a glance.", answers: [.json(OperationsDocument.self)], run: show)
        routes.add("/v1/operations", [.get: show])
        let follow = Endpoint.admin(
            for: "how the service is, at a glance,",
            "How the service is as it goes on, as server-sent events.",
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

    /// Sends how everything is whenever that has changed, or after a while, until the reader goes or may not read on, or the
    /// service stops.
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
            // A fault that passes is told by the silence: the next look may succeed.
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
    /// What ends a stream whose client may not read on.
    fileprivate static let revoked = ByteBuffer(
        string: "event: auth_revoked\ndata: \"credential is no longer valid\"\n\n")
}

extension OperationsDocument {
    /// What is worth telling: without what changes all the time by a little.
    fileprivate var withoutTime: OperationsDocument {
        var document = self
        document.time = 0
        document.memory = memory.map { $0 >> 22 }
        document.disk.free = disk.free.map { $0 >> 24 }
        return document
    }
}
