import DaemonSupport
import Foundation

/// Runs a command of the binary to its end.
///
/// - Parameters:
///   - input: The file that is its standard input.
///   - output: The file for its output, which is otherwise returned.
///   - terminalInput: The text that is typed at the terminal on its standard input; nil for no terminal.
func run(
    _ arguments: [String], input: String = "/dev/null", output device: String? = nil, terminalInput: String? = nil,
    environment: [String: String] = [:]
) async throws -> (status: Int32, output: String, errors: String) {
    let files = NSTemporaryDirectory() + "tt-run-" + UUID().uuidString
    let (output, errors) = (device ?? files + ".out", files + ".err")
    defer { for file in [files + ".out", errors] { try? FileManager.default.removeItem(atPath: file) } }
    let terminal = try terminalInput.map { try PseudoTerminal(typing: $0) }
    let child = try Child(
        arguments, output: output, errors: errors, input: terminal?.path ?? input, environment: environment)
    let status = try await child.wait()
    return (status, device == nil ? try text(output) : "", try text(errors))
}

/// Returns the contents of a file.
func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}
