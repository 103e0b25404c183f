import ArgumentParser
import Files
import Imaging
import Pipeline
import Server
import Tree

/// How a command ends: the codes that scripts rely on.
enum Outcome: Int32, Error {
    case done = 0
    case failed = 1
    case wrongUsage = 2
    /// Some items were done, some refused.
    case partial = 3
    /// Nothing is wrong with the request: try again later.
    case tryAgain = 75

    /// Tells the person what went wrong, on standard error, and the process what to exit with.
    static func report(_ error: any Error) -> Int32 {
        switch error {
        case let outcome as Outcome:
            return outcome.rawValue
        case is CancellationError:
            return failed.rawValue
        case is FileError, is TreeError, is ImageError, is PipelineError:
            let error = PipelineError(error)
            Terminal.complain("\(error)")
            return (isPassing(error) ? tryAgain : failed).rawValue
        case let error as ServerError:
            Terminal.complain("\(error)")
            return failed.rawValue
        case let error as ServiceError:
            Terminal.complain("\(error)")
            if error.code == "bad_configuration" { return wrongUsage.rawValue }
            return error.isTransient ? tryAgain.rawValue : failed.rawValue
        case let error as ConfigurationError:
            Terminal.complain("\(error)")
            return wrongUsage.rawValue
        case let error as ValidationError:  // of a command that ran: no word was wrong
            Terminal.complain(error.message)
            return wrongUsage.rawValue
        default:
            break
        }
        let message = Tintype.fullMessage(for: error)
        if Tintype.exitCode(for: error).isSuccess {
            Terminal.say(message)  // --help and --version
            return done.rawValue
        }
        Terminal.complain(message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message)
        return Tintype.exitCode(for: error) == .validationFailure ? wrongUsage.rawValue : failed.rawValue
    }

    /// Whether the same command may succeed later, with nobody giving rights to whoever runs it.
    private static func isPassing(_ error: PipelineError) -> Bool {
        let code = FileError.Code(rawValue: error.code.rawValue)
        return code == .locked || error.isTransient && code != .permission
    }
}
