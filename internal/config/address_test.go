package config

import (
	"strings"
	"testing"
)

// What of an address is the person's own comes from the environment.
func TestAddressFromTheEnvironment(t *testing.T) {
	for _, test := range []struct {
		name, model string
		environ     []string
		want        string // the address, or how the error begins
	}{
		{"region", "bedrock", []string{"AWS_REGION=eu-west-1", "AWS_DEFAULT_REGION=x"}, "https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1"},
		{"the other variable", "bedrock-open", []string{"AWS_REGION= ", "AWS_DEFAULT_REGION=us-east-1"}, "https://bedrock-mantle.us-east-1.api.aws/v1"},
		{"project", "vertex", []string{"GOOGLE_CLOUD_PROJECT=my-project"}, "https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global/publishers/google"},
		{"whole beginning", "azure/d", []string{"AZURE_OPENAI_API_KEY=k", "AZURE_OPENAI_ENDPOINT=https://mine.openai.azure.com/"}, "https://mine.openai.azure.com/openai/v1"},
		{"none", "bedrock", nil, "The address of bedrock needs the variable AWS_REGION or AWS_DEFAULT_REGION, which is empty. Export AWS_REGION, or set vendors.bedrock.base_url in "},
		{"no part of a host", "bedrock", []string{"AWS_REGION=x.evil.example/" + key}, "The variable AWS_REGION is no part of an address"},
		{"no address", "azure/d", []string{"AZURE_OPENAI_API_KEY=k", "AZURE_OPENAI_ENDPOINT=mine"}, "The variable AZURE_OPENAI_ENDPOINT is no part of an address"},
		{"a variable in a variable", "azure/d", []string{"AZURE_OPENAI_API_KEY=k", "AZURE_OPENAI_ENDPOINT={HOME}"}, "The variable AZURE_OPENAI_ENDPOINT is no part of an address"},
		{"plain http", "azure/d", []string{"AZURE_OPENAI_API_KEY=k", "AZURE_OPENAI_ENDPOINT=http://mine"}, "default: vendors.azure would send the conversation over plain http"},
		{"a key in the address", "leak/m", []string{"OPENAI_API_KEY=" + key}, "The variable OPENAI_API_KEY is no part of an address"}, // P41
	} {
		s := mustParse(t, `{"model": "`+test.model+`", "vendors": {"leak": {"base_url": "https://{OPENAI_API_KEY}.example.com"}}}`, test.environ...)
		got, err := s.Resolve(t.Context(), Keys{})
		switch {
		case err == nil && got.BaseURL != test.want:
			t.Errorf("%s: %s, want %s", test.name, got.BaseURL, test.want)
		case err != nil && (!strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), key)):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
