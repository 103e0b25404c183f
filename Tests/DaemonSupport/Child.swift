import Foundation

/// One process of the built binary at a time.
actor Child {
    private var process: Process?

    /// Starts the service, and waits until it listens; returns its port.
    func start(_ arguments: [String], log: URL) async throws -> Int {
        if !FileManager.default.fileExists(atPath: log.path) {
            guard FileManager.default.createFile(atPath: log.path, contents: nil) else {
                throw ServiceProcessError("cannot create \(log.path)")
            }
        }
        let file = try FileHandle(forWritingTo: log)
        let end = try file.seekToEnd()
        let process = Self.process(arguments)
        (process.standardOutput, process.standardError) = (file, file)
        try process.run()
        try file.close()
        self.process = process
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let text = String(decoding: try Data(contentsOf: log).dropFirst(Int(end)), as: UTF8.self)
            if let found = text.firstMatch(of: /listening on http:\/\/127\.0\.0\.1:(\d+)\//), let port = Int(found.1) {
                return port
            }
            guard process.isRunning else { throw ServiceProcessError(text) }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ServiceProcessError("the service does not listen")
    }

    /// Sends a signal, unless the process has ended, and waits for its end.
    func end(_ signal: Int32) async {
        guard let process else { return }
        self.process = nil
        guard process.isRunning else { return }
        kill(process.processIdentifier, signal)
        while process.isRunning { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// Runs a command to its end, and returns its standard output.
    func output(of arguments: [String]) async throws -> String {
        let process = Self.process(arguments)
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ServiceProcessError(message) }
        return text
    }

    private static func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// The binary that `TINTYPE` names, or else the one beside the test bundle.
    private static var binary: String {
        if let named = ProcessInfo.processInfo.environment["TINTYPE"] { return named }
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("tintype").path
    }
}
