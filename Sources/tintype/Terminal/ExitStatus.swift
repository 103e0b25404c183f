import API
import ArgumentParser
import Files
import Imaging
import Tree
import Uploads

/// The exit status of a command, on which scripts rely.
enum ExitStatus: Int32, Error {
    case done = 0
    case failed = 1
    case wrongUsage = 2
    /// Some items succeeded, and some were refused.
    case partial = 3
    /// The same command may succeed later (`EX_TEMPFAIL` of sysexits.h).
    case tryAgain = 75

    /// Writes an error for people to standard error.
    ///
    /// - Parameters:
    ///   - program: The root of the command line, which formats the errors of its arguments.
    ///   - explain: Returns a better message about an unknown option; nil for none.
    /// - Returns: The status with which the process should exit.
    static func report(
        _ error: any Error, of program: any ParsableCommand.Type, explain: (_ option: String) -> String? = { _ in nil }
    ) -> Int32 {
        switch error {
        case let status as ExitStatus:
            return status.rawValue
        case is CancellationError:
            return failed.rawValue
        case is FileError, is TreeError, is ImageError, is Failure:
            let error = Failure(error)
            Terminal.error("\(error)")
            if [.badConfiguration, .badSocketPath].contains(error.code) { return wrongUsage.rawValue }
            return (isTransient(error) ? tryAgain : failed).rawValue
        case let error as ConfigurationError:
            Terminal.error("\(error)")
            return wrongUsage.rawValue
        case let error as ValidationError:  // Thrown while a command ran: the arguments could be parsed.
            Terminal.error(error.message)
            return wrongUsage.rawValue
        default:
            break
        }
        let message = program.fullMessage(for: error)
        if program.exitCode(for: error).isSuccess {
            Terminal.output(message)  // --help and --version
            return done.rawValue
        }
        let unknown = message.firstMatch(of: /^Error: Unknown option '(--[a-z-]+)'/).map { String($0.1) }
        if let unknown, let explanation = explain(unknown) {
            Terminal.error(explanation)
        } else {
            Terminal.error(message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message)
        }
        return program.exitCode(for: error) == .validationFailure ? wrongUsage.rawValue : failed.rawValue
    }

    /// Whether the same command may succeed later without a change of permissions, the mount or the store.
    private static func isTransient(_ error: Failure) -> Bool {
        let lasting: Set<ErrorCode> = [.permission, .readOnly, .corrupt, .missingUpdates]
        return error.code == .locked || error.isTransient && !lasting.contains(error.code)
    }
}
