"""Methods of the contract."""

# Generated from openapi.yaml by `npm run generate`. Edit that file instead.

