import API
import Hummingbird
package import Keeping
package import Requests
import Transport

/// `/v1/audit` searches the store for damage, and repairs or deletes it if requested; `/v1/explain` returns the life of
/// a post, an upload or a file.
package struct StoreCheckRoutes: Sendable {
    let tools: StoreCheckTools
    /// The slot that limits audits to one at a time.
    let slot: PostRunSlot

    package init(tools: StoreCheckTools, slot: PostRunSlot) {
        self.tools = tools
        self.slot = slot
    }

    package func add(to routes: inout RouteTable) {
        let audit = Endpoint.admin(
            for: "checking the store",
            "checkStore", in: .operations, "Compare everything in the store with everything else",
            [
                Parameter.query("action", .one(of: StoreCheckAction.self), "what to do").required,
                .query("user", .userID, "only this user's posts"),
                .query("unread_for", .integer(0...Self.maxSeconds), "only files unread for this many seconds"),
                .query("sample", .integer(1...100), "the share of posts that are read, in percent, chosen at random"),
                .query("rate", .integer(Self.minRate...Self.maxRate), "the largest number of bytes read per second"),
                .query("read", .flag, "whether files are read and compared"),
                .query("change", .flag, "whether findings are repaired or deleted"),
                .query("max_share", .integer(0...100), "the largest share of bytes that may be deleted, in percent"),
            ],
            answers: [
                .lines(
                    .any(
                        .document(FindingDocument.self), .document(StoreCheckStepDocument.self),
                        .document(JobFailureDocument.self)
                    ).named("StoreCheckEvent"))
            ], errors: [.badRequest, .badUser, .jobRunning], run: audit)
        routes.add("/v1/audit", [.post: audit])
        let explain = Endpoint.admin(
            for: "the life of a post",
            "explainPost", in: .operations, "Explain the life of a post, an upload or a file",
            [Parameter.query("of", .text(upTo: Self.maxName), "an id, or the path or the address of a file").required],
            answers: [.json(ExplanationDocument.self)], errors: [.notFound], run: explain)
        routes.add("/v1/explain", [.get: explain])
    }

    private static let maxName = 2048

    @Sendable private func explain(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let subject = try ExplainedSubject(String((context.query["of"] ?? "").prefix(Self.maxName)))
        return .json(try await Explanation(tools).document(of: subject))
    }

    private static let maxSeconds = 100_000 * 86_400
    /// The lowest rate, in bytes per second: at a lower one no store would be read in time.
    private static let minRate = 1_000_000
    private static let maxRate = 1 << 50

    @Sendable private func audit(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let audit = StoreCheck(tools, try order(context.query))
        return try await JobAnswer.response(to: request, isTrusted: context.isTrusted, in: slot) {
            answer in
            try await audit.run { event in
                switch event {
                case .finding(let finding): try await answer.tell(finding)
                case .step(let step): answer.tell(step: step)
                }
            }
        }
    }

    private func order(_ query: RequestFields) throws(Failure) -> StoreCheckOrder {
        guard let action = query["action"].flatMap(StoreCheckAction.init) else {
            let actions = StoreCheckAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(.badRequest, "action is missing or unknown", hint: "Use one of \(actions).")
        }
        var order = StoreCheckOrder(action)
        try order.select(user: query["user"])
        order.unreadFor = try number("unread_for", in: query, 0...Self.maxSeconds).map { .seconds($0) }
        if let percent = try number("sample", in: query, 1...100) { order.sample = Double(percent) / 100 }
        order.bytesPerSecond = try number("rate", in: query, Self.minRate...Self.maxRate)
        if try query.flag("read") { order.readsFiles = true }
        order.changes = try query.flag("change")
        if let percent = try number("max_share", in: query, 0...100) { order.maxShare = Double(percent) / 100 }
        return order
    }

    private func number(
        _ name: String, in query: RequestFields, _ range: ClosedRange<Int>
    ) throws(Failure) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Failure(
                .badRequest,
                "\(name)=\(text.prefix(80)) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
