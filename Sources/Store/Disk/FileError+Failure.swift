package import API
package import Files

extension FileError: FailureConvertible {
    package var failure: Failure {
        Failure(ErrorCode(named: code.rawValue), message, hint: hint, isTransient: isTransient)
    }
}
