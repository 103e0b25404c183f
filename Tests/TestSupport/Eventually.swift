package import Testing

/// Waits until a condition holds that nothing announces; an expectation fails when it does not within half a minute.
///
/// A service of a test's own is there within seconds. The rest is for machines that do other work besides: a debug build
/// decodes slowly, and four such tests run at a time on two cores (``ServiceThreads``).
package func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it did not come true within half a minute", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
