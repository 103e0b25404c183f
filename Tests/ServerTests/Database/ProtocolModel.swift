/// The Realtime Database protocol as plainly as it can be said: one tree of dictionaries, one request at a time.
///
/// What only the service knows comes from its answers: the time of a commit, the key of a POST, and which ETag a value
/// has. What the protocol asks of these is checked: ``learn(now:)``, ``learn(name:)`` and ``ETagBook``.
struct ProtocolModel {
    private(set) var root = ModelNode.nothing
    var rules = ModelRules()
    var etags = ETagBook()
    /// What the last request wrote; nil when it wrote nothing.
    private(set) var lastWrite: ModelWrite?
    private var pending: PendingWrite?

    private struct PendingWrite {
        let before: ModelNode
        var write: ModelWrite
    }

    /// Takes a request; of a write what the service knows is still to be learned.
    mutating func take(_ request: ModelRequest) -> ModelAnswer {
        (lastWrite, pending) = (nil, nil)
        do throws(ModelRefusal) {
            guard request.badPath == nil, request.path.allSatisfy(\.isKey), request.path.count <= ModelNode.maxDepth
            else { throw .invalidPath }
            guard request.method != .get else { return try read(request) }
            return try write(request)
        } catch {
            return ModelAnswer(error)
        }
    }

    // MARK: Reading

    /// What a query takes at a place, or all that is there.
    func view(
        at path: ModelPath, matching query: ModelQuery?
    ) throws(ModelRefusal) -> (node: ModelNode, keys: [ModelText]) {
        guard let query else { return (root[path], root[path].sortedKeys) }
        try rules.check(query, at: path)
        return query.take(from: root[path])
    }

    private func read(_ request: ModelRequest) throws(ModelRefusal) -> ModelAnswer {
        if request.parameters["shallow"] == "true", request.hasFilters {
            throw ModelRefusal("shallow cannot be mixed with other query parameters")
        }
        if request.isPriority, request.hasFilters { throw .invalidPath }
        let isTagged = request.wantsETag
        if isTagged, let known = request.headers["if-none-match"], etags[root[request.path]] == known {
            return ModelAnswer(.empty, status: 304, isTagged: true)
        }
        let json = try shown(request)
        return request.isSilent
            ? ModelAnswer(.empty, status: 204, isTagged: isTagged) : ModelAnswer(.json(json), isTagged: isTagged)
    }

    private func shown(_ request: ModelRequest) throws(ModelRefusal) -> NaiveJSON {
        if request.isPriority { return NaiveJSON(root[request.path].priority) }
        let query = try ModelQuery(request.parameters)
        let (node, keys) = try view(at: request.path, matching: query)
        if request.parameters["count"] == "true" { return .leaf(.integer(Int64(node.children.count))) }
        if request.parameters["shallow"] == "true" { return NaiveJSON(shallow: node) }
        guard query?.isDescending == true, !keys.isEmpty else {
            return request.isExport ? NaiveJSON(export: node) : NaiveJSON(plain: node)
        }
        return .object(
            keys.map { key in
                let child = node.children[key] ?? .nothing
                return .init(key: key, value: request.isExport ? NaiveJSON(export: child) : NaiveJSON(plain: child))
            })
    }

    // MARK: Writing

    private mutating func write(_ request: ModelRequest) throws(ModelRefusal) -> ModelAnswer {
        let isConditional = request.headers["if-match"] != nil
        if isConditional, request.isPriority || request.method == .patch || request.method == .post {
            throw ModelRefusal("if-match is not supported")
        }
        if request.isPriority, request.method == .patch || request.method == .post { throw .invalidPath }
        var write = try ModelWrite(request)
        if let known = request.headers["if-match"], etags[root[request.path]] != known {
            return ModelAnswer(.json(try shown(request)), status: 412, isTagged: true)
        }
        // A POST writes where nothing is.
        try write.resolve(over: request.method == .post ? .nothing : root)
        let before = root
        root = write.applied(to: root)
        pending = PendingWrite(before: before, write: write)
        write.finish(before: before, after: root)
        lastWrite = write
        let isTagged = request.wantsETag && (request.method == .put || request.method == .delete)
        guard !request.isSilent else { return ModelAnswer(.empty, status: 204, isTagged: isTagged) }
        return ModelAnswer(request.method == .post ? .name : .json(write.json), isTagged: isTagged)
    }

    // MARK: What only the service knows

    /// Whether the last write is of a time that the model does not know yet.
    var wantsNow: Bool { pending?.write.hasNow ?? false }

    /// The time of the last write.
    mutating func learn(now: Int64) {
        redo { $0.fill(now: .integer(now)) }
    }

    /// The key that the last request, a POST, was given.
    mutating func learn(name: String) {
        redo { $0.append(ModelText(name)) }
    }

    private mutating func redo(_ change: (inout ModelWrite) -> Void) {
        guard var pending else { return }
        change(&pending.write)
        root = pending.write.applied(to: pending.before)
        var write = pending.write
        write.finish(before: pending.before, after: root)
        lastWrite = write
        self.pending = pending
    }
}

/// Which ETag each value has: as far as the service has told.
struct ETagBook {
    private var tags: [ModelText: String] = ["null": "null_etag"]
    private var values: [String: ModelText] = ["null_etag": "null"]
    /// All ETags, in the order in which they came up.
    private(set) var all = ["null_etag"]

    subscript(value: ModelNode) -> String? { tags[ModelText(NaiveJSON(export: value).text)] }

    /// Notes an ETag: whether it is the one that the value had before, and no other value's.
    mutating func note(_ tag: String, of value: ModelNode) -> Bool {
        let text = ModelText(NaiveJSON(export: value).text)
        let (known, other) = (tags[text], values[tag])
        if other == nil { all.append(tag) }
        (tags[text], values[tag]) = (tag, text)
        return (known ?? tag) == tag && (other ?? text) == text
    }
}
