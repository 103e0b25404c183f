package import Testing

/// Waits until a condition holds that nothing announces; an expectation fails when it does not within two and a half minutes.
package func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(150)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it did not come true within two and a half minutes", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
