import Foundation
import HTTPTypes
import TestSupport

/// Random requests over several connections, each answer compared with the model's, while listeners listen.
final class ProtocolRun {
    let namespace = "prop"
    let socketPath: String
    private(set) var model = ProtocolModel()
    private var random: SeededGenerator
    private var connections: [WireConnection] = []
    private var listeners: [StreamListener] = []
    private var rulesCount = 0
    /// The number of requests that have been answered.
    private(set) var step = 0

    private static let connectionCount = 4
    private static let listenerCount = 14
    private static let requestsBetweenQuietPoints = 10
    private static let requestsBetweenListeners = 200
    private static let requestsBetweenRules = 1500

    init(socket path: String, seed: UInt64) async throws {
        socketPath = path
        random = SeededGenerator(seed: seed)
        for _ in 0..<Self.connectionCount { connections.append(try await WireConnection(socket: path)) }
    }

    /// Sends this many requests.
    func run(operations: Int) async throws {
        try await setRules()
        for _ in 0..<Self.listenerCount { try await openListener() }
        while step < operations {
            let before = step
            try await sendSome()
            if isTime(for: Self.requestsBetweenQuietPoints, since: before) { try await catchUp() }
            if isTime(for: Self.requestsBetweenListeners, since: before) { try await replaceListener() }
            if isTime(for: Self.requestsBetweenRules, since: before) { try await setRules() }
        }
        // A listener that got too much is found when every listener gets this write.
        try await send([ModelRequest(method: .put, body: Array("\"the end\"".utf8))])
        try await catchUp()
        for listener in listeners { await listener.close() }
        for connection in connections { await connection.close() }
    }

    private func isTime(for interval: Int, since before: Int) -> Bool { step / interval > before / interval }

    // MARK: Requests

    /// Sends a request, or several at once over one connection.
    private func sendSome() async throws {
        guard random.chance(20) else { return try await send([random.request(on: model)]) }
        let count = 2 + random.below(4)
        try await send((0..<count).map { _ in random.request(on: model, serverValues: .sums) })
    }

    private func send(_ requests: [ModelRequest]) async throws {
        let connection = random.pick(connections)
        try await connection.send(requests.map(bytes).joined())
        for request in requests {
            let start = Self.now()
            guard let answer = await connection.answer() else { throw Mismatch("no answer to \(request)") }
            do {
                try await compare(answer, to: request, notBefore: start)
            } catch let error {
                throw Mismatch("\(request)\n\(answer.status) \(answer.text)\n\(error)")
            }
            if let write = model.lastWrite {
                for listener in listeners { listener.expect(write) }
            }
            step += 1
        }
    }

    private func bytes(of request: ModelRequest) -> [UInt8] {
        var headers = request.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        let method = request.isOverridden ? "POST" : request.method.rawValue
        if request.isOverridden { headers += "X-HTTP-Method-Override: \(request.method.rawValue)\r\n" }
        let body = request.body ?? []
        if method != "GET" { headers += "Content-Length: \(body.count)\r\n" }
        let head = "\(method) \(request.target(namespace: namespace)) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n"
        return Array(head.utf8) + body
    }

    // MARK: Answers

    private func compare(
        _ answer: Answer, to request: ModelRequest, notBefore start: Int64
    ) async throws {
        let expected = model.take(request)
        guard answer.status == expected.status else { throw Mismatch("the status is to be \(expected.status)") }
        switch expected.body {
        case .empty: guard answer.body.isEmpty else { throw Mismatch("nothing is to be told") }
        case .error(let sentence):
            guard case .leaf(.text(let text))? = NaiveJSON(answer.body)?["error"], text.string.hasPrefix(sentence)
            else {
                throw Mismatch("the error is to be \(sentence)")
            }
        case .name:
            guard case .leaf(.text(let name))? = NaiveJSON(answer.body)?["name"], name.units.count == 20,
                model.root[request.path].children[name] == nil
            else { throw Mismatch("a new push id is to be told") }
            model.learn(name: name.string)
        case .json(let json):
            try compare(answer.text, to: request.isPretty ? json.pretty() : json.text)
        }
        if model.wantsNow { try await readNow(notBefore: start) }
        guard expected.isTagged else { return }
        guard let tag = answer.headers[.eTag], model.etags.note(tag, of: model.root[request.path]) else {
            throw Mismatch("the ETag is another value's, or another than before: \(answer.headers[.eTag] ?? "none")")
        }
    }

    /// Compares texts byte by byte, and learns the time of the commit from a text that contains it.
    private func compare(_ text: String, to expected: String) throws {
        guard expected.contains(NaiveJSON.nowMark) else {
            guard text.utf8.elementsEqual(expected.utf8) else { throw Mismatch("to be answered is\n\(expected)") }
            return
        }
        let start = expected.prefix(upTo: expected.range(of: NaiveJSON.nowMark)?.lowerBound ?? expected.startIndex)
        let digits = String(
            decoding: text.utf8.dropFirst(start.utf8.count).prefix { (48...57).contains($0) }, as: UTF8.self)
        guard let now = Int64(digits),
            text.utf8.elementsEqual(expected.replacingOccurrences(of: NaiveJSON.nowMark, with: digits).utf8)
        else { throw Mismatch("to be answered is\n\(expected)") }
        if model.wantsNow { model.learn(now: now) }
    }

    /// Reads the time of a commit that the answer did not contain.
    private func readNow(notBefore start: Int64) async throws {
        for entry in model.lastWrite?.entries ?? [] where model.wantsNow && model.root[entry.path].hasNow {
            let request = ModelRequest(method: .get, path: entry.path, parameters: ["format": "export"])
            let connection = random.pick(connections)
            try await connection.send(bytes(of: request))
            try compare(await connection.answer()?.text ?? "", to: NaiveJSON(export: model.root[entry.path]).text)
        }
        // The value will never be read.
        if model.wantsNow { model.learn(now: 0) }
    }

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    // MARK: Listeners

    private func catchUp() async throws {
        for listener in listeners {
            do {
                try await listener.catchUp(with: model)
            } catch {
                let request = ModelRequest(method: .get, path: listener.path, parameters: ["format": "export"])
                let connection = try await WireConnection(socket: socketPath)
                try await connection.send(bytes(of: request))
                throw Mismatch("\(error)\nwhere there is \(await connection.answer()?.text ?? "no answer")")
            }
        }
    }

    private func replaceListener() async throws {
        await listeners.remove(at: random.below(listeners.count)).close()
        try await openListener()
    }

    /// Listens to a path or to a query at it, or checks that this is refused.
    private func openListener() async throws {
        while true {
            var request = ModelRequest(method: .get, path: random.path(maxDepth: 3))
            if random.chance(50) {
                request.parameters = random.queryParameters(orders: [
                    "$key", "$value", "$priority", "$priority", "a", "a", "b/a",
                ])
            }
            do throws(ModelRefusal) {
                _ = try model.view(at: request.path, matching: try ModelQuery(request.parameters))
            } catch {
                try await expectRefusal(of: request, error)
                continue
            }
            return listeners.append(try await StreamListener(to: request, of: self))
        }
    }

    private func expectRefusal(of request: ModelRequest, _ refusal: ModelRefusal) async throws {
        let connection = try await WireConnection(socket: socketPath)
        let head = String(decoding: bytes(of: request).dropLast(2), as: UTF8.self)
        try await connection.send("\(head)Accept: text/event-stream\r\n\r\n")
        let answer = await connection.answer()
        await connection.close()
        guard answer?.status == refusal.status, case .leaf(.text(let text))? = NaiveJSON(answer?.body ?? [])?["error"],
            text.string.hasPrefix(refusal.sentence)
        else { throw Mismatch("listening to \(request) is not refused: \(answer?.text ?? "")") }
    }

    // MARK: Rules

    private static let rules = [
        """
        {"rules":{".indexOn":["a",".value"],"a":{".indexOn":["a","b/a",".value"],"$x":{".indexOn":["b"]}},\
        "list":{".indexOn":[".value","a"],"0":{".indexOn":"1"},"$k":{".indexOn":["a",".value"]}},"s":{".indexOn":"b"}}}
        """,
        """
        {"rules":{".indexOn":["a"],"a":{".indexOn":["a"],"$x":{".indexOn":["a","b/a"]}},\
        "list":{".indexOn":[".value","a","b"],"$k":{".indexOn":["a","1"],"é":{".indexOn":".value"}}}}}
        """,
    ]

    /// Replaces the rules; queries that have lost their index have no listeners any longer.
    private func setRules() async throws {
        try await catchUp()
        let text = Self.rules[rulesCount % Self.rules.count]
        rulesCount += 1
        let connection = connections[0]
        try await connection.send(
            "PUT /.settings/rules.json?ns=\(namespace) HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        guard let answer = await connection.answer(), answer.status == 200 else { throw Mismatch("rules are refused") }
        model.rules.document = NaiveJSON(text.utf8) ?? .null
        for index in listeners.indices {
            let listener = listeners[index]
            do throws(ModelRefusal) {
                _ = try model.view(at: listener.path, matching: listener.query)
            } catch {
                await listener.close()
                try await openListener()
                listeners.swapAt(index, listeners.count - 1)
                listeners.removeLast()
            }
        }
    }
}
