package import TreeModel

/// An error of a library that is reported as a ``Failure``.
package protocol FailureConvertible: Error {
    /// The failure that describes the error.
    var failure: Failure { get }
}

extension Failure {
    /// Creates the failure that describes an error of a library; `subject` names the file or field that caused it.
    ///
    /// An error of an unknown type has the code `internal`.
    package init(_ error: any Error, about subject: String? = nil) {
        let prefix = subject.map { "\($0): " } ?? ""
        switch error {
        case let error as Failure: self = error
        case let error as any FailureConvertible:
            let failure = error.failure
            self.init(
                failure.code, prefix + failure.message, hint: failure.hint, isTransient: failure.isTransient)
        default: self.init(.internal, "\(prefix)\(error)", isTransient: true)
        }
    }
}

extension TreeError: FailureConvertible {
    /// The errors of the tree that depend on the request alone. All others, a corrupt store among them, are faults of
    /// the service and never a failure of the upload.
    private static let faultsOfTheRequest: Set<TreeError.Code> = [
        .invalidKey, .invalidValue, .tooLarge, .conflictingPaths,
    ]

    package var failure: Failure {
        Failure(
            ErrorCode(named: code.rawValue), message, hint: hint ?? "",
            isTransient: !Self.faultsOfTheRequest.contains(code))
    }
}
