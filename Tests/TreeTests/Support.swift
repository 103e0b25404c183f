import Foundation
import Testing

@testable import Tree

/// The engines that every conformance test runs on.
enum EngineKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite, memory

    var testDescription: String { rawValue }
}

/// Runs a body with the path of a folder that is removed afterwards.
@discardableResult
func withScratchFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tree-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path)
}

/// Runs a body with a new, empty engine, and closes it.
@discardableResult
func withEngine<Result>(_ kind: EngineKind, _ body: (any Engine) async throws -> Result) async throws -> Result {
    try await withScratchFolder { folder in
        let engine: any Engine = kind == .sqlite ? try SQLiteEngine(path: folder + "/tree.sqlite") : MemoryEngine()
        do {
            let result = try await body(engine)
            await engine.close()
            return result
        } catch {
            await engine.close()
            throw error
        }
    }
}

/// All keys that an engine has, in order.
func keys(of engine: some Engine) async throws -> [[UInt8]] {
    try await engine.read { snapshot throws(TreeError) in
        var keys: [[UInt8]] = []
        try snapshot.scan(.all, reverse: false) { key, _ throws(TreeError) in
            keys.append(key.copied)
            return true
        }
        return keys
    }
}

/// Runs a body with a new, empty store.
@discardableResult
func withStore<Result>(
    _ kind: EngineKind, retention: ChangeRetention = ChangeRetention(), _ body: (TreeStore) async throws -> Result
) async throws -> Result {
    try await withEngine(kind) { engine in
        try await body(try await TreeStore(engine: engine, retention: retention))
    }
}

/// Expects a body to fail with a code, and returns the failure.
@discardableResult
func expectCode(
    _ code: TreeError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> TreeError? {
    let error = await #expect(throws: TreeError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return error
}

/// A minimal JSON tree to compare the store with: nested dictionaries, nothing else.
struct NaiveTree: Equatable {
    var value: TreeValue?

    init(_ value: TreeValue? = nil) { self.value = value }

    func get(_ path: TreePath) -> TreeValue? {
        var value = value
        for key in path.keys {
            guard case .object(let children)? = value else { return nil }
            value = children[key]
        }
        return value
    }

    mutating func set(_ path: TreePath, to new: TreeValue?) {
        value = Self.setting(path.keys[...], to: new.flatMap(Self.pruned), in: value)
    }

    mutating func apply(_ writes: [TreeWrite]) {
        for write in writes { set(write.path, to: write.value) }
    }

    func holds(_ precondition: Precondition) -> Bool {
        switch precondition {
        case .exists(let path): get(path) != nil
        case .absent(let path): get(path) == nil
        case .equals(let path, let value): get(path) == value.flatMap(Self.pruned)
        case .etag, .nodeHash: false
        }
    }

    func children(of path: TreePath) -> [TreeChild] {
        guard case .object(let children)? = get(path) else { return [] }
        return children.map { TreeChild(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }

    private static func setting(
        _ keys: ArraySlice<TreeKey>, to new: TreeValue?, in old: TreeValue?
    ) -> TreeValue? {
        guard let key = keys.first else { return new }
        var children: [TreeKey: TreeValue] = [:]
        if case .object(let existing)? = old { children = existing } else if new == nil { return old }
        children[key] = setting(keys.dropFirst(), to: new, in: children[key])
        return children.isEmpty ? nil : .object(children)
    }

    private static func pruned(_ value: TreeValue) -> TreeValue? {
        guard case .object(let children) = value else { return value }
        let kept = children.compactMapValues(pruned)
        return kept.isEmpty ? nil : .object(kept)
    }
}
