import TestSupport

extension SeededGenerator {
    /// Returns a request that some client may send, for the current tree.
    ///
    /// - Parameter serverValues: Only sums for requests that are sent before the earlier ones are answered.
    mutating func request(on model: ProtocolModel, serverValues: ServerValues = .all) -> ModelRequest {
        var request: ModelRequest
        switch below(100) {
        case ..<25: request = get()
        case ..<40: request = query()
        case ..<58: request = put(serverValues)
        case ..<61: request = replacement(on: model)
        case ..<76: request = patch(serverValues)
        case ..<84:
            request = ModelRequest(method: .post, path: path(), body: body(value(depth: 2, serverValues: serverValues)))
        case ..<94: request = delete(on: model)
        default: request = invalid()
        }
        if request.method == .put || request.method == .delete || chance(3) {
            condition(&request, "if-match", percent: 15, on: model)
        }
        if request.method == .get { condition(&request, "if-none-match", percent: 15, on: model) }
        if chance(10) { request.headers["X-Firebase-ETag"] = "true" }
        if chance(5) { request.parameters["print"] = "pretty" }
        if chance(5), request.method != .post, serverValues == .all { request.parameters["print"] = "silent" }
        if chance(3), request.method != .post { request.isOverridden = true }
        return request
    }

    private mutating func body(_ json: NaiveJSON) -> [UInt8] {
        let text = json.text
        return Array((chance(5) ? " \n\(text)\t" : text).utf8)
    }

    // MARK: Reading

    private mutating func get() -> ModelRequest {
        var request = ModelRequest(method: .get, path: path(maxDepth: 3), isPriority: chance(5))
        switch below(10) {
        case 0, 1: request.parameters["format"] = "export"
        case 2: request.parameters["shallow"] = "true"
        case 3: request.parameters["count"] = "true"
        default: break
        }
        if request.isPriority { request.parameters = [:] }
        return request
    }

    private mutating func query() -> ModelRequest {
        var request = ModelRequest(method: .get, path: path(maxDepth: 3))
        request.parameters = queryParameters(orders: ["$key", "$value", "$priority", "a", "b/a", "b", "1"])
        if chance(20) { request.parameters["format"] = "export" }
        if chance(10) { request.parameters["count"] = "true" }
        if chance(5) { request.parameters = pick(Self.badQueries) }
        return request
    }

    /// Invalid queries, with one fault each.
    private static let badQueries: [[String: String]] = [
        ["limitToFirst": "1"], ["equalTo": "1"], ["orderBy": "a"], ["orderBy": "1"], ["orderBy": "\"\""],
        ["orderBy": "\"$foo\""], ["orderBy": "\"a.b\""], ["orderBy": "\"$key\"", "startAt": "1"],
        ["orderBy": "\"$key\"", "endAt": "\"a\",\"b\""], ["orderBy": "\"$priority\"", "startAt": "x"],
        ["orderBy": "\"$priority\"", "startAt": "{}"], ["orderBy": "\"$priority\"", "equalTo": "1,2"],
        ["orderBy": "\"$key\"", "limitToFirst": "0"], ["orderBy": "\"$key\"", "limitToLast": "-1"],
        ["orderBy": "\"$key\"", "limitToFirst": "x"], ["orderBy": "\"$key\"", "limitToFirst": "1", "limitToLast": "1"],
        ["orderBy": "\"$key\"", "startAt": "\"a\"", "startAfter": "\"a\""],
        ["orderBy": "\"$key\"", "endAt": "\"a\"", "endBefore": "\"a\""],
        ["orderBy": "\"$key\"", "endAt": "\"a\"", "equalTo": "\"a\""], ["orderBy": "\"$key\"", "shallow": "true"],
    ]

    mutating func queryParameters(orders: [String]) -> [String: String] {
        let order = pick(orders)
        var parameters = ["orderBy": NaiveJSON.string(order).text]
        if chance(15) {
            parameters["equalTo"] = bound(order)
        } else {
            if chance(40) { parameters[pick(["startAt", "startAfter"])] = bound(order) }
            if chance(30) { parameters[pick(["endAt", "endBefore"])] = bound(order) }
        }
        if chance(50) { parameters[pick(["limitToFirst", "limitToLast"])] = "\(1 + below(4))" }
        if chance(10) { parameters["descending"] = "true" }
        return parameters
    }

    private mutating func bound(_ order: String) -> String {
        if order == "$key" { return chance(95) ? NaiveJSON.leaf(.text(key())).text : leaf().text }
        var leaf = chance(10) ? NaiveJSON.null : leaf()
        // Text with a zero in it cannot be a key; the texts before it are not tested either.
        if case .leaf(.text(let text)) = leaf, text.units.contains(0) { leaf = .null }
        return chance(25) ? "\(leaf.text),\(NaiveJSON.leaf(.text(key())).text)" : leaf.text
    }

    // MARK: Writing

    private mutating func put(_ serverValues: ServerValues) -> ModelRequest {
        if chance(15) {
            return ModelRequest(method: .put, path: path(), isPriority: true, body: body(priority(serverValues)))
        }
        return ModelRequest(method: .put, path: path(), body: body(value(serverValues: serverValues)))
    }

    private mutating func patch(_ serverValues: ServerValues) -> ModelRequest {
        var members: [NaiveJSON.Member] = []
        for _ in 0..<below(5) {
            var keys = chance(70) ? [key()] : [key(), key()]
            if chance(15) { keys = Array(path(maxDepth: 3)) }
            let isPriority = chance(6)
            let text = (chance(10) ? "/" : "") + ModelPath(keys + (isPriority ? [".priority"] : [])).relative
            let value =
                isPriority ? priority(serverValues) : chance(25) ? .null : value(depth: 2, serverValues: serverValues)
            members.append(.init(key: ModelText(text), value: value))
        }
        return ModelRequest(method: .patch, path: path(maxDepth: 2), body: body(.object(members)))
    }

    /// Deletes a node that mostly exists.
    private mutating func delete(on model: ProtocolModel) -> ModelRequest {
        var path = existingPath(in: model)
        if path.count < 2, chance(70) { path = self.path() }
        return ModelRequest(method: .delete, path: path, isPriority: chance(12))
    }

    private mutating func existingPath(in model: ProtocolModel) -> ModelPath {
        var path = ModelPath()
        while !model.root[path].children.isEmpty, path.isEmpty || chance(65) {
            path.append(pick(model.root[path].sortedKeys))
        }
        return path
    }

    /// Deletes some of the children of a node, and adds others in the same update.
    private mutating func replacement(on model: ProtocolModel) -> ModelRequest {
        let path = ModelPath(existingPath(in: model).dropLast())
        let old = model.root[path].sortedKeys.filter { _ in chance(90) }
        var members = old.map { NaiveJSON.Member(key: $0, value: .null) }
        let new = key()
        if !old.contains(new) { members.append(.init(key: new, value: value(depth: 1, serverValues: .sums))) }
        if chance(20) { members.append(.init(key: ".priority", value: priority(.sums))) }
        return ModelRequest(method: .patch, path: path, body: body(.object(members)))
    }

    // MARK: Requests that are or may be refused

    private mutating func invalid() -> ModelRequest {
        var request = put(.sums)
        switch below(6) {
        case 0: request.badPath = pick(["/a%2Eb", "/a%2Fb", "/a$b", "/%ff", "/%4", "/a%00", "/.priority/a", "/%23"])
        case 1: request.path = (0..<pick([32, 33, 40])).map { _ in "a" }
        case 2:
            request.method = .patch
            request.isPriority = false
            let texts = [
                "[1]", "1", "{\"a\":1,\"a/b\":2}", "{\"a\":1,\"/a\":2}", "{\"a.b\":1}",
                "{\"b\":1,\"b/.priority\":2}",
            ]
            request.body = Array(pick(texts).utf8)
        case 3:
            request.method = .post
            request.isPriority = false
            request.path = (0..<pick([31, 32])).map { _ in "d" }
            request.body = Array("1".utf8)
        default: request.body = invalidBody()
        }
        return request
    }

    /// Returns a condition of a client: mostly the ETag as far as it is known, else a former one, or a wrong one.
    private mutating func condition(
        _ request: inout ModelRequest, _ name: String, percent: Int, on model: ProtocolModel
    ) {
        guard chance(percent) else { return }
        let known = model.etags[model.root[request.path]]
        request.headers[name] = chance(60) ? known ?? "null_etag" : chance(50) ? pick(model.etags.all) : "never"
    }
}
