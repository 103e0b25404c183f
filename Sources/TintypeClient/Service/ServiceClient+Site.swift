public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The service itself, its files, and invitations to it.
extension ServiceClient {
    /// Returns the name, the colours, the icons and the links of the service.
    ///
    /// - Parameter language: The language of the description, such as `de`; nil for that of the operator.
    public func site(language: String? = nil) async throws -> Answer<Site> {
        var request = ServiceRequest("GET", ["v1", "site"])
        request.headers["Accept-Language"] = language
        request.isAuthorized = false
        return try await answer(to: request)
    }

    /// Returns the version of the service.
    public func version() async throws -> Answer<ServiceVersion> {
        var request = ServiceRequest("GET", ["v1", "version"])
        request.isAuthorized = false
        return try await answer(to: request)
    }

    /// Returns the bytes of a picture, whose address never leads to other ones. A token is sent to the service alone.
    ///
    /// - Throws: `TransportError` also for an address that is not of `http` or `https`.
    public func media(at address: MediaAddress) async throws -> Data {
        guard let url = address.url(relativeTo: service) else {
            throw TransportError(.unreachable, "\(address.rawValue) is not the address of a picture")
        }
        let request = TransportRequest("GET", url)
        return try await response(to: request, isAuthorized: address.isServed(by: service)).body
    }

    /// Returns the purpose of an invitation.
    ///
    /// - Parameter code: Its code, or the whole link.
    public func invitationPurpose(_ code: String) async throws -> Answer<InvitationPurpose> {
        var request = ServiceRequest("POST", ["v1", "invitations", "check"])
        try request.setBody(["code": .string(code)])
        request.isAuthorized = false
        return try await answer(to: request)
    }

    /// Uses an invitation for the user.
    ///
    /// - Parameter code: Its code, or the whole link.
    public func useInvitation(_ code: String) async throws -> Answer<InvitationUse> {
        try await answer("POST", ["v1", "invitations", "use"], ["code": .string(code)])
    }
}
