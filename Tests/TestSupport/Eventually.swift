import Foundation
package import Testing

/// Waits until a condition holds that no event announces.
///
/// An expectation fails when it does not hold within five minutes. Only a hang takes so long, since few tests run at a time.
/// The failure shows the line of the call and the value of `seen`.
///
/// - Parameter seen: The observed state, for the failure.
package func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, seen: (() async throws -> Any)? = nil,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            let found = try await seen?()
            Issue.record(
                "waited five minutes for \(line(at: sourceLocation)), and saw \(found.map { "\($0)" } ?? "false")",
                sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Returns the source text of a line, if the file exists.
private func line(at location: SourceLocation) -> String {
    let text = try? String(contentsOf: URL(fileURLWithPath: location.filePath), encoding: .utf8)
    let lines = text?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
    guard lines.indices.contains(location.line - 1) else { return "\(location)" }
    return lines[location.line - 1].trimmingCharacters(in: .whitespaces)
}
