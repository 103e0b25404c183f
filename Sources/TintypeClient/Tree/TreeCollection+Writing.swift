public import TintypeModel

/// Writes are durable when they return. ``TreeReference`` describes idempotency keys.
extension TreeCollection {
    /// Writes an entity in place of the node with its id.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - previous: The present value of the node, whose fields that the type does not know are kept; nil to keep none.
    ///   - etag: The version that the node must have, or `ConditionFailed.absent` for an entity that must not exist yet;
    ///     nil for any. With a previous value it should be the one of that value.
    ///   - idempotencyKey: The key for repetitions; nil for none.
    /// - Throws: `ConditionFailed` if the node has another version.
    @discardableResult
    public func write(
        _ entity: Element, replacing previous: JSONValue? = nil, ifMatch etag: String? = nil,
        idempotencyKey: String? = nil
    ) async throws -> Answer<Void> {
        let node = try entity.node(replacing: previous)
        var request = try reference.child(node.key).replacement(node.value, ifMatch: etag, idempotencyKey)
        request.setQuery("print", "silent")
        return try await reference.answer(to: request).map { _ in () }
    }

    /// Writes some fields of an entity, all of them or none.
    ///
    /// - Parameters:
    ///   - id: The id of the entity.
    ///   - fields: The values by the names of the fields, or by paths such as `address/city`; `null` deletes.
    ///   - etag: The version that the entity must have; nil for any.
    ///   - idempotencyKey: The key for repetitions; nil for none.
    /// - Throws: `ConditionFailed` if the entity has another version.
    @discardableResult
    public func update(
        _ id: Element.ID, _ fields: [String: JSONValue], ifMatch etag: String? = nil, idempotencyKey: String? = nil
    ) async throws -> Answer<Void> {
        try await reference.child(Element.key(of: id))
            .update(fields, ifMatch: etag.map { ["": $0] } ?? [:], idempotencyKey: idempotencyKey).map { _ in () }
    }

    /// Adds an entity under an id that the service makes. Ids are in the order of time. An id that the device makes
    /// itself (`PushID`) needs no answer before it can be used; such an entity is written with ``write(_:replacing:ifMatch:idempotencyKey:)``.
    ///
    /// - Parameters:
    ///   - entity: The entity; its own id is not sent, and may be any text that is not empty.
    ///   - idempotencyKey: The key for repetitions, which get the id of the first request; nil for none.
    /// - Returns: The entity with its id.
    @discardableResult
    public func add(_ entity: Element, idempotencyKey: String? = nil) async throws -> Answer<Element> {
        let node = try entity.node().value
        return try await reference.add(node, idempotencyKey: idempotencyKey).map { try Element(node: node, key: $0) }
    }

    /// Deletes an entity. It succeeds if there is none.
    ///
    /// - Throws: `ConditionFailed` if the entity has another version than the one of the ETag.
    @discardableResult
    public func remove(
        _ id: Element.ID, ifMatch etag: String? = nil, idempotencyKey: String? = nil
    ) async throws -> Answer<Void> {
        try await reference.child(Element.key(of: id)).remove(ifMatch: etag, idempotencyKey: idempotencyKey)
    }

    /// Changes an entity, so that no change of others is lost. Fields that the type does not know are kept.
    ///
    /// - Parameters:
    ///   - id: The id of the entity.
    ///   - change: Changes the entity; nil is an entity that does not exist, or that is deleted. It may be called several
    ///     times. Nothing is written if it changes nothing, or if it throws.
    /// - Returns: The entity after the transaction.
    /// - Throws: The error of the closure; `DecodingFault` if the node is not such an entity; `ConditionFailed` if
    ///   others changed it each of 25 times; `TreeInputError` if the closure changes the id.
    @discardableResult
    public func transaction(
        _ id: Element.ID, _ change: (inout Element?) throws -> Void
    ) async throws -> Answer<Element?> {
        let key = try Element.key(of: id)
        let answer = try await reference.child(key).transaction { value in
            let before = try Self.entity(value, key)
            var entity = before
            try change(&entity)
            guard let entity else { return value = .null }
            let node = try entity.node(replacing: value)
            guard node.key == key else { throw TreeInputError(node.key, "is another id than that of the transaction") }
            if try before?.node(replacing: value).value != node.value { value = node.value }
        }
        return try answer.map { try Self.entity($0, key) }
    }
}
