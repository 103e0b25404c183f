/// The Realtime Database protocol in its simplest form: one tree of dictionaries, one request at a time.
///
/// Values that only the service can choose are read from its answers: the time of a commit, the key of a POST, and the
/// ETag of a value. The protocol's requirements on these are checked: ``learn(now:)``, ``learn(name:)`` and
/// ``ETagBook``.
struct ProtocolModel {
    private(set) var root = ModelNode.nothing
    var rules = ModelRules()
    var etags = ETagBook()
    /// The write of the last request; nil when it wrote nothing.
    private(set) var lastWrite: ModelWrite?
    private var pending: PendingWrite?

    private struct PendingWrite {
        let before: ModelNode
        var write: ModelWrite
    }

    /// Applies a request and returns the expected answer; a write may contain values that must still be learned.
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

    /// Returns the children that a query selects at a path, or the whole value without a query.
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
        if isConditional, request.isPriority || request.method == .post {
            throw ModelRefusal("if-match is not supported")
        }
        if request.isPriority, request.method == .patch || request.method == .post { throw .invalidPath }
        var write = try ModelWrite(request)
        if let known = request.headers["if-match"], etags[root[request.path]] != known {
            return ModelAnswer(.json(try shown(request)), status: 412, isTagged: true)
        }
        // A POST writes to a new key.
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

    // MARK: Values from the service

    /// Whether the last write contains a time that the model has not learned yet.
    var wantsNow: Bool { pending?.write.hasNow ?? false }

    /// Sets the time of the last write.
    mutating func learn(now: Int64) {
        redo { $0.fill(now: .integer(now)) }
    }

    /// Sets the key that the service gave the last request, a POST.
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

/// The ETag of each value, as far as the service has sent it.
struct ETagBook {
    private var tags: [ModelText: String] = ["null": "null_etag"]
    private var values: [String: ModelText] = ["null_etag": "null"]
    /// All ETags, in the order of their first use.
    private(set) var all = ["null_etag"]

    subscript(value: ModelNode) -> String? { tags[ModelText(NaiveJSON(export: value).text)] }

    /// Records an ETag; returns whether it is the one that the value had before, and no other value's.
    mutating func note(_ tag: String, of value: ModelNode) -> Bool {
        let text = ModelText(NaiveJSON(export: value).text)
        let (known, other) = (tags[text], values[tag])
        if other == nil { all.append(tag) }
        (tags[text], values[tag]) = (tag, text)
        return (known ?? tag) == tag && (other ?? text) == text
    }
}
