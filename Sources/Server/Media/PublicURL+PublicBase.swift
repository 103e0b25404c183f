package import Model
package import Requests

extension PublicURL {
    /// Returns the base of the addresses of files, for clients that know the service by the name of a project.
    package func publicBase(ofProject project: String) -> PublicBase {
        PublicBase(origin: origin, bucket: PublicBase.bucket(ofProject: project))
    }
}
