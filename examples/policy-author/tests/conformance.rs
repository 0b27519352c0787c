//! Certifies the shop's policy: one test for each requirement that applies to it.

use policy_author::ShopPolicy;
use proofmark_conformance::conformance;

conformance! {
    /// Two endpoints of the shop, and at most five requests per call.
    policy shop(
        budget,
        per_call,
        requests = 5,
        endpoints = ["https://api.shop.example/v1/items/{id}", "https://api.shop.example/v1/orders"],
        allow = ["https://api.shop.example/v1/items/7", "https://api.shop.example/v1/orders?page=2"],
        refuse = ["https://api.shop.example/admin", "POST https://api.shop.example/v1/orders"],
    ) = || ShopPolicy::new(5);
}
