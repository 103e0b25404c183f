#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices

    /// The passkeys of the system. The app needs the entitlement for associated domains, with `webcredentials:` and the host
    /// of the service.
    ///
    /// It is untried: this project's tests run where there is no such system. They test all that is around it.
    public struct SystemPasskeyAuthenticator: PasskeyAuthenticator {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// Creates an authenticator.
        ///
        /// - Parameter anchor: Returns the window in which the system shows its sheet.
        public init(presentingIn anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
            self.anchor = anchor
        }

        /// Makes a passkey, after the system has shown its sheet.
        @MainActor public func makePasskey(_ options: PasskeyOptions) async throws -> NewPasskey {
            let challenge = options.challenge
            let request = provider(challenge.site).createCredentialRegistrationRequest(
                challenge: challenge.bytes, name: options.userName, userID: options.userID)
            let answer = try await PasskeySheet(in: anchor()).answer(to: request)
            guard let new = answer as? ASAuthorizationPlatformPublicKeyCredentialRegistration,
                let attestation = new.rawAttestationObject
            else { throw ASAuthorizationError(.invalidResponse) }
            return NewPasskey(id: new.credentialID, clientData: new.rawClientDataJSON, attestation: attestation)
        }

        /// Signs a challenge, after the system has shown its sheet.
        @MainActor public func sign(_ challenge: PasskeyChallenge) async throws -> PasskeySignature {
            let request = provider(challenge.site).createCredentialAssertionRequest(challenge: challenge.bytes)
            let answer = try await PasskeySheet(in: anchor()).answer(to: request)
            guard let signed = answer as? ASAuthorizationPlatformPublicKeyCredentialAssertion,
                let data = signed.rawAuthenticatorData, let signature = signed.signature
            else { throw ASAuthorizationError(.invalidResponse) }
            return PasskeySignature(
                id: signed.credentialID, clientData: signed.rawClientDataJSON, authenticatorData: data,
                signature: signature, userID: signed.userID)
        }

        private func provider(_ site: String) -> ASAuthorizationPlatformPublicKeyCredentialProvider {
            ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: site)
        }
    }

    /// One sheet of the system.
    @MainActor
    private final class PasskeySheet: NSObject, ASAuthorizationControllerDelegate,
        ASAuthorizationControllerPresentationContextProviding
    {
        private let anchor: ASPresentationAnchor
        private var answered: (any ASAuthorizationCredential)?
        private var continuation: CheckedContinuation<Void, any Error>?

        init(in anchor: ASPresentationAnchor) { self.anchor = anchor }

        func answer(to request: ASAuthorizationRequest) async throws -> (any ASAuthorizationCredential)? {
            let controller = ASAuthorizationController(authorizationRequests: [request])
            (controller.delegate, controller.presentationContextProvider) = (self, self)
            defer { withExtendedLifetime(controller) {} }
            try await withCheckedThrowingContinuation {
                continuation = $0
                controller.performRequests()
            }
            return answered
        }

        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { anchor }

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization it: ASAuthorization
        ) {
            answered = it.credential
            continuation?.resume()
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
            continuation?.resume(throwing: error)
        }
    }
#endif
