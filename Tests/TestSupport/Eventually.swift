package import Testing

/// Waits until a condition holds that nothing announces; an expectation fails when it does not within four minutes.
///
/// A service of a test's own is there within seconds. The rest is for machines that do other work besides: all tests of a
/// target run at once, a debug build decodes slowly, and the last of hundreds ends after minutes on two cores.
package func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(240)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it did not come true within four minutes", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
