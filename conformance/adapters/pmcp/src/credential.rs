//! The credential that the judge hands out, as one that the toolkit's clients send.

use std::collections::HashMap;
use std::sync::Arc;

use pmcp_server_toolkit::http::{
    AuthConfig, HttpAuthProvider, HttpConnectorError, create_passthrough_auth_provider,
};
use proofmark_conformance::profile::AuthScheme;
use proofmark_conformance::subject::{ExecutorEnv, SurfaceEnv};

/// What the judge hands to a factory: [`ExecutorEnv`] and [`SurfaceEnv`].
pub trait Given {
    /// How the credential travels.
    fn scheme(&self) -> Option<&AuthScheme>;
    /// The user of `Basic`, or the client's id at the token endpoint.
    fn user(&self) -> &str;
    /// The credential.
    fn credential(&self) -> &str;
    /// Where a token is fetched; empty where none is.
    fn token_url(&self) -> &str;
}

impl Given for ExecutorEnv {
    fn scheme(&self) -> Option<&AuthScheme> {
        self.scheme()
    }

    fn user(&self) -> &str {
        self.user()
    }

    fn credential(&self) -> &str {
        self.credential()
    }

    fn token_url(&self) -> &str {
        self.token_url()
    }
}

impl Given for SurfaceEnv {
    fn scheme(&self) -> Option<&AuthScheme> {
        self.scheme()
    }

    fn user(&self) -> &str {
        self.user()
    }

    fn credential(&self) -> &str {
        self.credential()
    }

    fn token_url(&self) -> &str {
        ""
    }
}

/// The toolkit's own provider for the credential and the scheme that the judge hands out.
///
/// # Errors
///
/// Where the toolkit makes no provider of them.
///
/// ```
/// use proofmark_conformance::subject::ExecutorEnv;
///
/// let env = ExecutorEnv::new("http://127.0.0.1:9");
/// assert!(proofmark_pmcp::auth(&env).is_ok());
/// ```
pub fn auth(env: &impl Given) -> Result<Arc<dyn HttpAuthProvider>, HttpConnectorError> {
    let secret = env.credential().to_owned();
    let required = true;
    let config = match env.scheme() {
        None => AuthConfig::None,
        Some(AuthScheme::Basic) => AuthConfig::Basic {
            username: env.user().to_owned(),
            password: secret,
            required,
        },
        Some(AuthScheme::HeaderKey(name)) => AuthConfig::ApiKey {
            query_params: HashMap::new(),
            headers: HashMap::from([(name.clone(), secret)]),
            required,
        },
        Some(AuthScheme::QueryKey(name)) => AuthConfig::ApiKey {
            query_params: HashMap::from([(name.clone(), secret)]),
            headers: HashMap::new(),
            required,
        },
        Some(AuthScheme::Forwarded) => {
            let config = AuthConfig::OAuthPassthrough {
                target_header: "Authorization".to_owned(),
                required,
            };
            return create_passthrough_auth_provider(&config, Some(secret));
        }
        Some(AuthScheme::TokenEndpoint) => AuthConfig::OAuth2ClientCredentials {
            token_url: env.token_url().to_owned(),
            client_id: env.user().to_owned(),
            client_secret: secret,
            scopes: Vec::new(),
            required,
        },
        Some(AuthScheme::Bearer) => AuthConfig::Bearer {
            token: secret,
            required,
        },
        Some(_) => {
            let unknown = "the scheme is not known here".to_owned();
            return Err(HttpConnectorError::Auth(unknown));
        }
    };
    create_passthrough_auth_provider(&config, None)
}
