import Foundation

/// The process of a service, one at a time.
actor ServiceChild {
    private var child: Child?

    /// Starts the service, and waits until it listens; returns its port. A test's time limit ends the wait otherwise.
    func start(_ arguments: [String], log: URL) async throws -> Int {
        let end = (try? Data(contentsOf: log).count) ?? 0
        let child = try Child(arguments, output: log.path, errors: log.path)
        self.child = child
        do {
            while true {
                let text = String(decoding: (try? Data(contentsOf: log).dropFirst(end)) ?? Data(), as: UTF8.self)
                if let found = text.firstMatch(of: /listening on http:\/\/127\.0\.0\.1:(\d+)\//),
                    let port = Int(found.1)
                {
                    return port
                }
                guard child.exitCode == nil else { throw ServiceProcessError(text) }
                try await Task.sleep(for: .milliseconds(20))
            }
        } catch {
            await self.end(SIGKILL)
            throw error
        }
    }

    /// Sends a signal, unless the process has ended, and waits for its end.
    func end(_ signal: Int32) async {
        guard let child else { return }
        self.child = nil
        child.send(signal)
        // Not until the task is cancelled, but until the process has ended.
        while child.exitCode == nil { try? await Task.sleep(for: .milliseconds(5)) }
    }
}
