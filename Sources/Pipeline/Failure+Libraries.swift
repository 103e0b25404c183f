package import API
import Files
import Imaging
import Isolation
import TreeModel

extension Failure {
    /// Takes over what a library said; `subject` names the file or field that it was about.
    package init(_ error: any Error, about subject: String? = nil) {
        let prefix = subject.map { "\($0): " } ?? ""
        switch error {
        case let error as Failure: self = error
        case let error as ImageError:
            self.init(
                ErrorCode(named: error.code.rawValue), prefix + error.message, hint: error.hint,
                isTransient: error.isTransient)
        case let error as IsolationError:
            self.init(
                ErrorCode(named: error.code.rawValue), prefix + error.message, hint: error.hint,
                isTransient: error.isTransient)
        case let error as FileError:
            self.init(
                ErrorCode(named: error.code.rawValue), prefix + error.message, hint: error.hint,
                isTransient: error.isTransient)
        case let error as TreeError:
            self.init(
                ErrorCode(named: error.code.rawValue), prefix + error.message, hint: error.hint ?? "",
                isTransient: !Self.faultsOfTheRequest.contains(error.code))
        case let error as IntakePause:
            self.init(error.code, prefix + error.message, hint: error.hint, isTransient: true)
        default:
            self.init(.internal, "\(prefix)\(error)", isTransient: true)
        }
    }

    /// The refusals of the tree that its state cannot change. All others, a corrupt store among them, are the service's
    /// own trouble and never a failure of the upload.
    private static let faultsOfTheRequest: Set<TreeError.Code> = [
        .invalidKey, .invalidValue, .tooLarge, .conflictingPaths,
    ]
}
