import Files
import Imaging
import Isolation
import Tree

/// Why an upload was refused or failed: a code for programs, a message and a hint for people.
package struct PipelineError: Error, Sendable, CustomStringConvertible {
    /// A stable, machine-readable reason. Those of `ImageError`, `FileError` and `TreeError` pass through unchanged.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let badUser = Code(rawValue: "bad_user")
        package static let unknownUser = Code(rawValue: "unknown_user")
        package static let badTime = Code(rawValue: "bad_time")
        package static let badText = Code(rawValue: "bad_text")
        package static let badReference = Code(rawValue: "bad_reference")
        package static let emptyPost = Code(rawValue: "empty_post")
        package static let emptyFile = Code(rawValue: "empty")
        package static let tooLarge = Code(rawValue: "too_large_bytes")
        package static let tooManyPhotos = Code(rawValue: "too_many_photos")
        package static let notFound = Code(rawValue: "not_found")
        package static let deleted = Code(rawValue: "deleted")
        package static let keyReused = Code(rawValue: "key_reused")
        package static let wrongState = Code(rawValue: "wrong_state")
        package static let originalMissing = Code(rawValue: "original_missing")
        package static let badSidecar = Code(rawValue: "bad_sidecar")
        package static let duplicate = Code(rawValue: "duplicate")
        package static let hardLinked = Code(rawValue: "hard_linked")
        package static let tooDeep = Code(rawValue: "too_deep")
        package static let changedWhileRead = Code(rawValue: "changed_while_read")
        package static let wrongKind = Code(rawValue: "wrong_kind")
        package static let unreadable = Code(rawValue: "unreadable")
        package static let shuttingDown = Code(rawValue: "shutting_down")
        static let workerKilled = Code(rawValue: IsolationError.Code.workerKilled.rawValue)
    }

    package let code: Code
    /// What was wrong with what: for a person.
    package let message: String
    /// What to do about it: for a person.
    package let hint: String
    /// Whether the same work may succeed later with nothing changed but the circumstances.
    package let isTransient: Bool

    package init(_ code: Code, _ message: String, hint: String = "", isTransient: Bool = false) {
        self.code = code
        self.message = message
        self.hint = hint
        self.isTransient = isTransient
    }

    /// Takes over what a lower layer said; `subject` names the file or field that it was about.
    package init(_ error: any Error, about subject: String? = nil) {
        let prefix = subject.map { "\($0): " } ?? ""
        switch error {
        case let error as PipelineError: self = error
        case let error as ImageError:
            self.init(
                Code(rawValue: error.code.rawValue), prefix + error.message, hint: error.hint,
                isTransient: error.isTransient)
        case let error as IsolationError:
            self.init(
                Code(rawValue: error.code.rawValue), prefix + error.message, hint: error.hint,
                isTransient: error.isTransient)
        case let error as FileError:
            self.init(
                Code(rawValue: error.code.rawValue), prefix + error.message, hint: error.hint,
                isTransient: error.isTransient)
        case let error as TreeError:
            self.init(
                Code(rawValue: error.code.rawValue), prefix + error.message, hint: error.hint ?? "",
                isTransient: !Self.faultsOfTheRequest.contains(error.code))
        case let error as IntakePause:
            self.init(Code(rawValue: error.code), prefix + error.message, hint: error.hint, isTransient: true)
        default:
            self.init(Code(rawValue: "internal"), "\(prefix)\(error)", isTransient: true)
        }
    }

    /// The refusals of the tree that its state cannot change. All others, a corrupt store among them, are the service's
    /// own trouble and never an upload's verdict.
    private static let faultsOfTheRequest: Set<TreeError.Code> = [
        .invalidKey, .invalidValue, .tooLarge, .conflictingPaths,
    ]

    /// The message and, in brackets, the hint.
    package var description: String {
        hint.isEmpty ? message : "\(message) (\(hint))"
    }
}
