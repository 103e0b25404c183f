package import API
package import Imaging
package import Isolation

extension ImageError: FailureConvertible {
    package var failure: Failure {
        Failure(ErrorCode(named: code.rawValue), message, hint: hint, isTransient: isTransient)
    }
}

extension IsolationError: FailureConvertible {
    package var failure: Failure {
        Failure(ErrorCode(named: code.rawValue), message, hint: hint, isTransient: isTransient)
    }
}
